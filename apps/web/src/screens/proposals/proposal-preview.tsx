import type { ClaimMapping, Proposal, ProposalDetail, ProposedAct } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { proposalsApi } from '../../api/governance-api.ts'
import { recordQuery } from '../../api/queries.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { getTarget, TRANSFER_FORMAT_WORDS } from '../../components/transfers/transfer-words.ts'
import { WidenedFacts } from '../../components/transfers/widened-facts.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { groupsText, MatterNames } from '../identity-providers/rights-facts.tsx'
import { DecideButtons } from './decide-buttons.tsx'
import { ProposalState } from './proposal-state.tsx'
import { actText } from './proposal-words.ts'
import { ShortenedPeriods } from './shorter.tsx'

const proposalQuery = recordQuery('readProposal', (proposal_id, options) =>
  proposalsApi.readProposal({ params: { proposal_id }, query: {} }, options),
)

/** Preview of a proposal: action, reason, effect, and the decision. */
export default function ProposalPreview({ rowKey, row }: PreviewProps<Proposal>) {
  return (
    <RecordPreview row={row} query={proposalQuery(rowKey)} action="account.proposals:read">
      {(proposal, whole) => (
        <>
          <ProposalFacts proposal={proposal} whole={whole} />
          {proposal.act.kind === 'ShortenRetention' && (
            <ShortenedPeriods act={proposal.act} isWaiting={proposal.state === 'waiting'} />
          )}
          {proposal.act.kind === 'SaveTransferConfig' && (
            <>
              <WidenedFacts widened={proposal.act.widened} />
              <Transfers act={proposal.act} />
            </>
          )}
          {proposal.act.kind === 'ChangeIdentityProvider' && (
            <IdentityProvider act={proposal.act} proposal={proposal} />
          )}
          {proposal.act.kind === 'AssignRoles' && <Assignment act={proposal.act} />}
          {proposal.state === 'superseded' && (
            <Text size="sm" c="dimmed">
              <Trans>Not executed: the subject, a role or the sign-in has changed since the proposal.</Trans>
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
  const { act, decided_at, state } = proposal
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
        <Time at={proposal.proposed_at} style="second" /> · {authorName(proposal, 'proposed_by')}
      </Fact>
      <Fact label={t`Reason`}>{reason !== null && visible(reason)}</Fact>
      <Fact label={t`Pending until`}>
        {state === 'waiting' && <Time at={proposal.expires_at} style="second" />}
      </Fact>
      <Fact label={t({ context: 'proposal', message: 'Decided' })}>
        {decided_at !== null && (
          <>
            <Time at={decided_at} style="second" />
            {proposal.decided_by !== null && ` · ${authorName(proposal, 'decided_by')}`}
          </>
        )}
      </Fact>
      <Fact label={t`Reason for rejection`}>{rejected !== null && visible(rejected)}</Fact>
    </Facts>
  )
}

function Subject({ act, children }: { act: ProposedAct; children: ReactNode }) {
  const target: LinkTarget | undefined =
    act.kind === 'ReleaseHold'
      ? {
          to: '/dashboard/governance/holds',
          search: { preview: `${act.target_type}/${act.target}` },
        }
      : 'matter_id' in act
        ? { to: '/dashboard/governance/matters', search: { matter: act.matter_id } }
        : undefined
  if (!target) return children
  return <TextLink {...target}>{children}</TextLink>
}

/** Planned transfer, and which secrets change. */
function Transfers({
  act: { settings, new_secrets },
}: {
  act: Extract<ProposedAct, { kind: 'SaveTransferConfig' }>
}) {
  const { t, i18n } = useLingui()
  const { params, payload_types, schedule } = settings
  return (
    <Facts title={t`Delivery preview`}>
      <Fact label={t`Target`}>{visible(getTarget(params))}</Fact>
      <Fact label={t`Server key`}>
        {'host_key' in params && params.host_key !== null && visible(params.host_key)}
      </Fact>
      <Fact label={t`Folder`}>{'root_directory' in params && visible(params.root_directory)}</Fact>
      <Fact label={t`Kinds of recordings`}>
        {payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')}
      </Fact>
      <Fact label={t`Role`}>{settings.role_reference !== null && visible(settings.role_reference)}</Fact>
      <Fact label={t`Format`}>
        <SpecWord value={settings.transfer_file_format} words={TRANSFER_FORMAT_WORDS} />
      </Fact>
      <Fact label={t`Public key`}>{settings.pgp_key !== null && visible(settings.pgp_key)}</Fact>
      <Fact label={t`Schedule`}>{schedule !== null && visible(schedule)}</Fact>
      <Fact label={t`Enabled`}>{settings.is_active ? t`Yes` : t({ context: 'answer', message: 'No' })}</Fact>
      <Fact label={t`Secrets replaced`}>{new_secrets.length > 0 && String(new_secrets.length)}</Fact>
    </Facts>
  )
}

/** The roles and groups of a person, before and after. */
function Assignment({ act }: { act: Extract<ProposedAct, { kind: 'AssignRoles' }> }) {
  const { t } = useLingui()
  const names = (roles: readonly string[]) => roles.map(visible).join('\n') || t`No roles`
  const groups = (each: readonly string[] | null) => groupsText(each, t`All groups`, t`No group`)
  const end = (ends_at: number | null) => (ends_at === null ? t`No end` : <Time at={ends_at} />)
  return (
    <>
      <Facts title={t`Assigned now`}>
        <Fact label={t`Roles`}>{names(act.former_roles)}</Fact>
        <Fact label={t`Groups`}>{act.former_roles.length > 0 && groups(act.former_groups)}</Fact>
        <Fact label={t`Access ends`}>{act.former_roles.length > 0 && end(act.former_ends_at)}</Fact>
        <Fact label={t`Only recordings of`}>
          {act.former_matters !== null && <MatterNames matters={act.former_matters} />}
        </Fact>
      </Facts>
      <Facts title={t`Assigned once it is confirmed`}>
        <Fact label={t`Roles`}>{names(act.roles)}</Fact>
        <Fact label={t`Groups`}>{act.roles.length > 0 && groups(act.groups)}</Fact>
        <Fact label={t`Access ends`}>{act.roles.length > 0 && end(act.ends_at)}</Fact>
        <Fact label={t`Only recordings of`}>
          {act.matters !== null && <MatterNames matters={act.matters} />}
        </Fact>
      </Facts>
    </>
  )
}

/** Planned sign-in, and when it takes effect without a confirmation. */
function IdentityProvider({
  act,
  proposal,
}: {
  act: Extract<ProposedAct, { kind: 'ChangeIdentityProvider' }>
  proposal: Proposal
}) {
  const { t } = useLingui()
  const { seconded_by, takes_effect_at, state } = proposal
  const issuer = (value: string | null) => (value === null ? t`Installation default` : visible(value))
  const name = seconded_by === null ? '' : visible(seconded_by)
  return (
    <>
      <Facts title={t`Sign-in of this account`}>
        <Fact label={t`Now`}>{state === 'waiting' && issuer(act.former_issuer)}</Fact>
        <Fact label={t`Issuer`}>{issuer(act.issuer)}</Fact>
        <Fact label={t`Client ID`}>{act.oidc_client_id !== null && visible(act.oidc_client_id)}</Fact>
        <Fact label={t`Client ID for phones`}>
          {act.oidc_device_client_id !== null && visible(act.oidc_device_client_id)}
        </Fact>
      </Facts>
      {act.claim_mapping && <MappingFacts mapping={act.claim_mapping} />}
      {state === 'waiting' &&
        (takes_effect_at === null ? (
          <Text size="sm">
            <Trans>
              Confirm only if your company requested it: the new provider decides who can sign in.
            </Trans>
          </Text>
        ) : (
          <Alert color="red" icon={<Icon name="warning" />}>
            <Trans>
              {name} reports that your account cannot sign in. The change takes effect{' '}
              <Time at={takes_effect_at} style="second" /> unless you reject it.
            </Trans>
          </Alert>
        ))}
    </>
  )
}

/** The claim mapping after confirmation. */
function MappingFacts({ mapping }: { mapping: ClaimMapping }) {
  const { t } = useLingui()
  const { rules, accepts_names, missing_groups } = mapping
  const none = t`No group`
  const all = t`All groups`
  if (mapping.roles_from === 'portal')
    return (
      <Facts title={t`Roles are assigned in the portal`}>
        <Fact label={t`Person claim`}>{visible(mapping.user_reference)}</Fact>
        <Fact label={t`Groups without an assignment`}>{missing_groups === 'all' ? all : none}</Fact>
      </Facts>
    )
  return (
    <Facts title={t`Roles and groups from claims`}>
      <Fact label={t`Person claim`}>{visible(mapping.user_reference)}</Fact>
      <Fact label={t`Roles claim`}>{visible(mapping.roles)}</Fact>
      <Fact label={t`Groups claim`}>{visible(mapping.groups)}</Fact>
      <Fact label={t`Token without groups`}>{missing_groups === 'all' ? all : none}</Fact>
      <Fact label={t`Other values`}>{accepts_names ? t`Role and group names` : t`Without effect`}</Fact>
      {rules.map(({ value, roles, groups, all_groups }) => (
        <Fact key={value} label={visible(value)}>
          {[...roles, ...(all_groups ? [all] : groups)].map(visible).join('\n') || t`Nothing`}
        </Fact>
      ))}
    </Facts>
  )
}
