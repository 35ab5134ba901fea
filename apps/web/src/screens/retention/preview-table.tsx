import {
  COUNTED_RECORDS,
  type EntityType,
  type PayloadType,
  PREVIEW_DAYS,
  type RetentionPreview,
} from '@custodia/contract'
import { msg, plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { DataTable } from '../../ui/data-table.tsx'
import { subjectWord } from './retention-words.ts'

/** Stages of retention: deletion (restorable), then destruction. */
export const ACTS = ['deleted', 'destroyed'] as const
export type Act = (typeof ACTS)[number]

export const ACT_WORDS = { deleted: msg`Deleted`, destroyed: msg`Permanently destroyed` } as const

/** Explains what the forecast does not count, and counts that stopped at a limit. */
export function CountedNote({ records }: { records: readonly { is_capped: boolean }[] }) {
  const { i18n } = useLingui()
  const most = i18n.number(COUNTED_RECORDS)
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Current count, months in UTC. Excludes records on hold, in use, or waiting for a receipt, transfer or
        sign-off.
      </Trans>
      {records.some(({ is_capped }) => is_capped) && (
        <>
          {' '}
          <Trans>Some record types show only the oldest {most}: more may exist.</Trans>
        </>
      )}
    </Text>
  )
}

interface Row {
  subject: { entity_type: EntityType; payload_type?: PayloadType }
  act: Act
  before: readonly number[]
  after: readonly number[]
}

const isChanged = ({ before, after }: Row): boolean => before.some((was, i) => was !== after[i])

/** Recordings and records that a policy would make due, compared with the current one. */
export function PreviewTable({ preview }: { preview: RetentionPreview }) {
  const { t, i18n } = useLingui()
  const count = (number: number) => i18n.number(number)
  const label = (days: number) =>
    days === 0 ? t`Immediately` : t`${plural(days, { one: 'In # day', other: 'In # days' })}`
  const counted = [
    ...preview.types.map(({ payload_type, ...acts }) => ({
      subject: { entity_type: 'Payload' as const, payload_type },
      ...acts,
    })),
    ...preview.records.map(({ entity_type, ...acts }) => ({ subject: { entity_type }, ...acts })),
  ]
  return (
    <Stack gap="xs">
      {counted.length === 0 ? (
        <Text size="sm">
          <Trans>Nothing is due within a year under either policy.</Trans>
        </Text>
      ) : (
        <DataTable
          caption={t`Due under this policy`}
          // Changes come first, directly below the question on a phone screen.
          rows={counted
            .flatMap(({ subject, before, after }) =>
              ACTS.map((act): Row => ({ subject, act, before: before[act], after: after[act] })).filter(
                (row) => [...row.before, ...row.after].some((each) => each > 0),
              ),
            )
            .toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)))}
          getKey={({ subject, act }) => `${subject.payload_type ?? subject.entity_type} ${act}`}
          columns={[
            { label: t`Type`, cell: ({ subject }) => subjectWord(i18n, subject) },
            { label: t`Effect`, cell: ({ act }) => i18n._(ACT_WORDS[act]) },
            ...PREVIEW_DAYS.map((days, i) => ({
              label: label(days),
              align: 'end' as const,
              cell: ({ before, after }: Row) => {
                const [was, will] = [count(before[i] ?? 0), count(after[i] ?? 0)]
                return was === will ? will : t`${was}, then ${will}`
              },
            })),
          ]}
        />
      )}
      <CountedNote records={preview.records} />
    </Stack>
  )
}
