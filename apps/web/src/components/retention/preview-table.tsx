import { PREVIEW_DAYS, type RetentionPreview } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { DataTable } from '../../ui/data-table.tsx'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'

/** How many recordings a policy would make due, beside those that are due as it is. */
export function PreviewTable({ preview }: { preview: RetentionPreview }) {
  const { t, i18n } = useLingui()
  const count = (number: number) => i18n.number(number)
  const label = (days: number) =>
    days === 0 ? t`At once` : t`${plural(days, { one: 'In # day', other: 'In # days' })}`
  return (
    <Stack gap="xs">
      {preview.types.length === 0 ? (
        <Text size="sm">
          <Trans>No recording is due within a year, neither as it is nor by this policy.</Trans>
        </Text>
      ) : (
        <DataTable
          caption={t`Recordings that would be due`}
          rows={preview.types}
          keyOf={({ payload_type }) => payload_type}
          columns={[
            {
              id: 'type',
              label: t`Type`,
              cell: ({ payload_type }) => i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
            },
            ...PREVIEW_DAYS.map((days, i) => ({
              id: String(days),
              label: label(days),
              align: 'end' as const,
              cell: ({ before, after }: RetentionPreview['types'][number]) => {
                const [was, will] = [count(before[i] ?? 0), count(after[i] ?? 0)]
                return was === will ? will : t`${was}, then ${will}`
              },
            })),
          ]}
        />
      )}
      <Text size="sm" c="dimmed">
        <Trans>
          Counted now. What a legal hold keeps, and what waits for a receipt, a transfer or a person, is not
          counted.
        </Trans>
      </Text>
    </Stack>
  )
}
