import type { Proposal, ProposalDetail, ProposedAct } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { proposalsApi } from '../../api/proposals-api.ts'
import { retentionApi } from '../../api/retention-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { recordQuery } from '../../ui/form/record-query.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../facts.tsx'
import { type PreviewProps, RecordPreview } from '../record-preview.tsx'
import { PreviewTable } from '../retention/preview-table.tsx'
import { changedWord } from '../retention/retention-words.ts'
import { DecideButtons } from './decide-buttons.tsx'
import { ProposalState } from './proposal-state.tsx'
import { actText } from './proposal-words.ts'

const proposalQuery = recordQuery('readProposal', (proposal_id, options) =>
  proposalsApi.readProposal({ params: { proposal_id }, query: {} }, options),
)

/** A proposal beside the list: what is to be done and why, what it would do, and the way to confirm or reject it. */
export default function ProposalPreview({ rowKey, row }: PreviewProps<Proposal>) {
  return (
    <RecordPreview row={row} query={proposalQuery(rowKey)} action="account.proposals:read">
      {(proposal, whole) => (
        <>
          <ProposalFacts proposal={proposal} whole={whole} />
          {proposal.act.kind === 'ShortenRetention' && (
            <Shorter act={proposal.act} isWaiting={proposal.state === 'waiting'} />
          )}
          {proposal.state === 'superseded' && (
            <Text size="sm" c="dimmed">
              <Trans>
                It was confirmed, but what it was about had changed since it was proposed: nothing was done.
              </Trans>
            </Text>
          )}
          {proposal.state === 'waiting' && <DecideButtons key={proposal.proposal_id} proposal={proposal} />}
        </>
      )}
    </RecordPreview>
  )
}

function ProposalFacts({ proposal, whole }: { proposal: Proposal; whole: ProposalDetail | undefined }) {
  const { t, i18n } = useLingui()
  const { act, decided_at, decided_by, state } = proposal
  const reason = (act.kind === 'ShortenRetention' ? act.policy.note : whole?.reason) ?? null
  const rejected = whole?.rejected_reason ?? null
  return (
    <Facts title={t({ context: 'proposal', message: 'Proposal' })}>
      <Fact label={t({ context: 'proposal', message: 'What' })}>
        <Subject act={act}>{actText(i18n, act)}</Subject>
      </Fact>
      <Fact label={t`State`}>
        <ProposalState proposal={proposal} />
      </Fact>
      <Fact label={t({ context: 'proposal', message: 'Proposed' })}>
        <Time at={proposal.proposed_at} style="second" /> · {visible(proposal.proposed_by)}
      </Fact>
      <Fact label={t`Reason`}>{reason !== null && visible(reason)}</Fact>
      <Fact label={t`Waits until`}>
        {state === 'waiting' && <Time at={proposal.expires_at} style="second" />}
      </Fact>
      <Fact label={t({ context: 'proposal', message: 'Decided' })}>
        {decided_at !== null && (
          <>
            <Time at={decided_at} style="second" />
            {decided_by !== null && ` · ${visible(decided_by)}`}
          </>
        )}
      </Fact>
      <Fact label={t`Reason of the rejection`}>{rejected !== null && visible(rejected)}</Fact>
    </Facts>
  )
}

/** Where what it is about is seen. */
function Subject({ act, children }: { act: ProposedAct; children: ReactNode }) {
  const search =
    act.kind === 'ReleaseHold'
      ? { tab: 'holds', preview: `${act.target_type}/${act.target}` }
      : 'matter_id' in act
        ? { tab: 'matters', matter: act.matter_id }
        : undefined
  if (!search) return children
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link {...props} to="/dashboard/services" search={search as never} />}
    >
      {children}
    </Anchor>
  )
}

/** What would stay less long, and while it waits how many recordings that would make due. */
function Shorter({
  act: { shortened, policy },
  isWaiting,
}: {
  act: Extract<ProposedAct, { kind: 'ShortenRetention' }>
  isWaiting: boolean
}) {
  const { i18n } = useLingui()
  const { entries, minimums, applies_to_kept } = policy
  const preview = useQuery({
    queryKey: keyOf('reviewRetention', JSON.stringify([entries, minimums]), applies_to_kept),
    queryFn: ({ signal }) =>
      retentionApi.reviewRetention({ query: {}, body: { entries, minimums, applies_to_kept } }, { signal }),
    enabled: useMay()('account.retention:read') && isWaiting,
    gcTime: 0,
  })
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        <Trans>These would stay less long than now</Trans>
      </Text>
      <List size="sm">
        {shortened.map((subject) => (
          <List.Item key={subject}>{changedWord(i18n, subject)}</List.Item>
        ))}
      </List>
      {applies_to_kept && (
        <Text size="sm">
          <Trans>Also for what is kept already</Trans>
        </Text>
      )}
      {isWaiting && preview.data && (
        <Loaded query={preview} height={120}>
          {(found) => <PreviewTable preview={found} />}
        </Loaded>
      )}
    </Stack>
  )
}
