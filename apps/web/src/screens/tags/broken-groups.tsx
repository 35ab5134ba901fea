import type { BrokenGroup, Fault } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Badge, ScrollArea, Text } from '@mantine/core'
import { faultText } from '../../api/failure-text.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Whether the tag is removed from the group. */
export const strips = ({ becomes }: BrokenGroup): boolean => becomes === null

/** Groups that a definition invalidates: the effect of saving on each, or why it fails. */
export function BrokenGroups(props: {
  groups: readonly BrokenGroup[]
  count: number
  obstacles: readonly Fault[]
}) {
  const { t, i18n } = useLingui()
  const { groups, count, obstacles } = props
  const more = count - groups.length
  return (
    <Alert
      color={obstacles.length > 0 || groups.some(strips) ? 'red' : 'orange'}
      icon={<Icon name="warning" />}
      title={<Plural value={count} one="# group violates this tag" other="# groups violate this tag" />}
    >
      <Text size="sm" mb={8}>
        {obstacles.length === 0 ? (
          <Trans>Nothing has changed yet. Saving changes these groups.</Trans>
        ) : (
          <>
            {obstacles.map((obstacle) => faultText(obstacle, i18n)).join(' ')}{' '}
            <Trans>Ask an administrator who can change all these groups to save this.</Trans>
          </>
        )}
      </Text>
      <ScrollArea.Autosize mah={280}>
        <DataTable
          isCompact
          caption={t`Groups that violate the tag`}
          rows={groups}
          getKey={(group) => JSON.stringify(group)}
          columns={[
            { label: t`Group`, cell: ({ group_reference }) => group_reference },
            {
              label: t`Now`,
              cell: ({ problem, value }) => (problem === 'missing' ? t`missing` : <Value value={value} />),
            },
            {
              label: t`Then`,
              cell: (group) =>
                strips(group) ? (
                  <Badge color="red" leftSection={<Icon name="trash" size={12} />}>
                    {t`removed`}
                  </Badge>
                ) : (
                  <Value value={group.becomes} />
                ),
            },
          ]}
        />
      </ScrollArea.Autosize>
      {more > 0 && (
        <Text size="sm" mt={4}>
          <Plural value={more} one="and # more" other="and # more" />
        </Text>
      )}
    </Alert>
  )
}

const Value = ({ value }: { value: string | null }) =>
  value === null || value === '' ? (
    <Text span c="dimmed" size="sm">
      <Trans>empty</Trans>
    </Text>
  ) : (
    <>{value}</>
  )
