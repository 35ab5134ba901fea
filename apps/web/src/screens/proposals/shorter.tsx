import type { ProposedAct, RetentionEntry } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { periodWords } from '../../components/words/period-words.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { visible } from '../../ui/visible.ts'
import { PreviewTable } from '../retention/preview-table.tsx'
import { BASIS_WORDS, changedWord } from '../retention/retention-words.ts'

/** Shortened periods, and while pending the number of recordings that would be due. */
export function ShortenedPeriods({
  act: { shortened, policy },
  isWaiting,
}: {
  act: Extract<ProposedAct, { kind: 'ShortenRetention' }>
  isWaiting: boolean
}) {
  const { i18n } = useLingui()
  const { entries, minimums, applies_to_kept } = policy
  // After the decision the current policy no longer shows the earlier one.
  const enabled = useMay()('account.retention:read') && isWaiting
  const preview = useQuery({
    ...callQuery(retentionApi, 'reviewRetention', { body: { entries, minimums, applies_to_kept } }),
    enabled,
    gcTime: 0,
  })
  const now = useQuery({
    ...callQuery(retentionApi, 'readRetention'),
    enabled,
    gcTime: 0,
  })
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        <Trans>Shorter than now</Trans>
      </Text>
      {shortened.map((subject) => (
        <Facts key={subject} title={changedWord(i18n, subject)}>
          <Change
            then={entries.find(isAbout(subject))}
            now={enabled ? now.data && (now.data.entries.find(isAbout(subject)) ?? 'none') : undefined}
          />
        </Facts>
      ))}
      {applies_to_kept && (
        <Text size="sm">
          <Trans>Apply to existing records</Trans>
        </Text>
      )}
      {isWaiting && preview.data && (
        <QueryResult query={preview} height={120}>
          {(found) => <PreviewTable preview={found} />}
        </QueryResult>
      )}
    </Stack>
  )
}

/** Whether an entry matches a name in `shortened`: `Payload Call`, `Device`. */
const isAbout = (subject: string) => (entry: RetentionEntry) =>
  subject === (entry.entity_type === 'Payload' ? `Payload ${entry.payload_type}` : entry.entity_type)

/** Proposed entry, and the current one where it is known and differs. */
function Change({
  then,
  now,
}: {
  then: RetentionEntry | undefined
  now: RetentionEntry | 'none' | undefined
}) {
  const { t, i18n } = useLingui()
  const period = (days: number | undefined) => (days === undefined ? t`Never` : periodWords(days))
  const list = (names: readonly string[]) => (names.length === 0 ? '–' : names.map(visible).join(', '))
  const toResponse = (entry: RetentionEntry | undefined): Record<string, string> => {
    const payload = entry?.entity_type === 'Payload' ? entry : undefined
    return {
      [t`Delete after`]: period(entry && 'delete_after_days' in entry ? entry.delete_after_days : undefined),
      [t`Destroy after`]: period(entry?.destroy_after_days),
      ...(payload && {
        [t`Counted from`]: i18n._(BASIS_WORDS[payload.retention_timestamp]),
        [t`Required receipts`]: list(payload.required_receipts),
        [t`Required transfers`]: list(payload.required_transfers),
      }),
    }
  }
  const before = now === undefined ? undefined : toResponse(now === 'none' ? undefined : now)
  return Object.entries(toResponse(then)).map(([label, will]) => {
    const was = before?.[label] ?? (now === 'none' ? '–' : undefined)
    if (was === will || (was === undefined && will === '–')) return null
    return (
      <Fact key={label} label={label}>
        {was === undefined ? will : t`${was}, then ${will}`}
      </Fact>
    )
  })
}
