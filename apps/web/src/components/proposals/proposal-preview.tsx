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
import { targetOf, TRANSFER_FORMAT_WORDS } from '../transfers/transfer-words.ts'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import { SpecWord } from '../words/spec-word.tsx'
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
          {proposal.act.kind === 'SaveTransferConfig' && <Transfers act={proposal.act} />}
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

/** What would be sent where, and which secrets are given anew. */
function Transfers({
  act: { settings, new_secrets },
}: {
  act: Extract<ProposedAct, { kind: 'SaveTransferConfig' }>
}) {
  const { t, i18n } = useLingui()
  const { params, payload_types, schedule } = settings
  return (
    <Facts title={t`What would be sent where`}>
      <Fact label={t`Target`}>{visible(targetOf(params))}</Fact>
      <Fact label={t`Key of the server`}>
        {'host_key' in params && params.host_key !== null && visible(params.host_key)}
      </Fact>
      <Fact label={t`Folder`}>{'root_directory' in params && visible(params.root_directory)}</Fact>
      <Fact label={t`Kinds of recordings`}>
        {payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')}
      </Fact>
      <Fact label={t`Format`}>
        <SpecWord value={settings.transfer_file_format} words={TRANSFER_FORMAT_WORDS} />
      </Fact>
      <Fact label={t`Public key`}>{settings.pgp_key !== null && visible(settings.pgp_key)}</Fact>
      <Fact label={t`Schedule`}>{schedule !== null && visible(schedule)}</Fact>
      <Fact label={t`Switched on`}>
        {settings.is_active ? t`Yes` : t({ context: 'answer', message: 'No' })}
      </Fact>
      <Fact label={t`Secrets given anew`}>{new_secrets.length > 0 && String(new_secrets.length)}</Fact>
    </Facts>
  )
}
