import { Trans, useLingui } from '@lingui/react/macro'
import { Select, SimpleGrid, Text } from '@mantine/core'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { type ChosenColumns, headerOf } from './read-columns.ts'

/** Which column of the file has which field; the user's choice is remembered. */
export function FileColumns<Column extends string>(props: {
  headers: readonly string[]
  fields: readonly { field: Column; label: string }[]
  chosen: ChosenColumns<Column>
  onChoose: (chosen: ChosenColumns<Column>) => void
  isOpen: boolean
}) {
  const { t } = useLingui()
  const { headers, fields, chosen } = props
  const found = fields.filter(({ field }) => headerOf(headers, field, chosen) !== undefined).length
  const count = fields.length
  return (
    <details open={props.isOpen}>
      <Text component="summary" size="sm" fw={600} style={{ cursor: 'pointer' }}>
        <Trans>
          Columns: {found} of {count} found in the file
        </Trans>
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs" spacing="sm" verticalSpacing="xs">
        {fields.map(({ field, label }) => (
          <Select
            key={field}
            label={label}
            data={[...new Set(headers)]}
            value={headerOf(headers, field, chosen) ?? null}
            onChange={(header) => props.onChoose({ ...chosen, [field]: header ?? '' })}
            placeholder={t`Not in the file`}
            comboboxProps={IN_PLACE}
            clearable
            searchable
            clearButtonProps={{ 'aria-label': t`Clear` }}
          />
        ))}
      </SimpleGrid>
    </details>
  )
}
