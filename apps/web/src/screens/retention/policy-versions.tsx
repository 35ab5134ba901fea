import { Trans, useLingui } from '@lingui/react/macro'
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { LatestTable, SHOWN } from './latest-table.tsx'
import { changedWord } from './retention-words.ts'

/** Versions of the policy, newest first. */
export function PolicyVersions() {
  const { t, i18n } = useLingui()
  const versions = useQuery(callQuery(retentionApi, 'listRetentionVersions', { query: { limit: SHOWN } }))
  return (
    <section aria-label={t`Versions`}>
      <Title order={2} mt="xl" mb="xs">
        <Trans>Versions</Trans>
      </Title>
      <LatestTable
        query={versions}
        none={<Trans>No policy yet. Everything is kept indefinitely.</Trans>}
        caption={t`Policy versions`}
        keyOf={({ policy_version }) => String(policy_version)}
        columns={[
          { label: t`Version`, cell: (row) => i18n.number(row.policy_version) },
          { label: t`Saved`, cell: (row) => <Time at={row.updated_at} /> },
          {
            label: t`By`,
            cell: (row) =>
              [authorName(row, 'updated_by'), authorName(row, 'confirmed_by')].filter(Boolean).join(' + '),
          },
          {
            label: t`Changed`,
            cell: (row) => row.changed.map((each) => changedWord(i18n, each)).join('; ') || '–',
          },
          {
            label: t`Applies to existing records`,
            cell: (row) => (row.applies_to_kept ? t`Yes` : t`Only if longer`),
          },
          { label: t`Note`, cell: (row) => (row.note === null ? '–' : visible(row.note)) },
        ]}
      />
    </section>
  )
}
