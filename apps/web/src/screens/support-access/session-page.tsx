import type { PortalActivity, SupportSession } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { noticeFailure } from '../../api/notices.ts'
import { sessionApi } from '../../api/support-sessions-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { useClientName } from '../../components/clients/clients.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { LinkAnchor } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { OutcomeCell, ReasonCell } from '../activities/activity-cells.tsx'
import { Sentence } from '../activities/sentence.tsx'
import { Consent } from './consent.tsx'
import { DecisionButtons } from './decision-buttons.tsx'
import { sessionOfClientQuery, sessionQuery } from './session-query.ts'
import { ApprovalBadge, getRequester } from './support-columns.tsx'

const route = getRouteApi('/dashboard/account/support-access/$request_reference')
const internalRoute = getRouteApi('/internal/support/$client/$request_reference')

/** `/dashboard/account/support-access/{request_reference}`: a request, its decision, and each step of the staff. */
export function SupportSessionPage() {
  const { t } = useLingui()
  const { request_reference } = route.useParams()
  const query = useQuery(sessionQuery(request_reference))
  const mayReadLog = useMay()('activities:list')
  return (
    <RecordPage
      query={query}
      title={t`Support access`}
      back={{ to: '/dashboard/account/support-access' }}
      backLabel={t`All requests`}
    >
      {(session) => (
        <Session session={session} actions={<SessionActs session={session} />}>
          {mayReadLog && (
            <LinkAnchor
              size="sm"
              to="/dashboard/account/audit"
              search={{ support_reference: request_reference }}
            >
              <Trans>In the audit log</Trans>
            </LinkAnchor>
          )}
        </Session>
      )}
    </RecordPage>
  )
}

/** `/internal/support/{client}/{request_reference}`: the same for the provider. */
export function SupportSessionOfClientPage() {
  const { t } = useLingui()
  const { client, request_reference } = internalRoute.useParams()
  const query = useQuery(sessionOfClientQuery(client, request_reference))
  const client_name = useClientName()(client)
  return (
    <RecordPage
      query={query}
      title={t`Support access`}
      back={{ to: '/internal/support' }}
      backLabel={t`All requests`}
    >
      {(session) => (
        <Session session={session} clientName={client_name}>
          <Text size="sm" c="dimmed">
            <Trans>You see references instead of the client’s names.</Trans>
          </Text>
        </Session>
      )}
    </RecordPage>
  )
}

/** The decision while one is due, then the signed report. */
function SessionActs({ session: { request } }: { session: SupportSession }) {
  const { approval_state, request_reference } = request
  const save = async () => {
    try {
      const report = await sessionApi.readSupportReport({ params: { request_reference }, query: {} })
      download([JSON.stringify(report, null, 2)], `support-${request_reference}`, {
        type: 'application/json',
        ending: 'json',
      })
    } catch (error) {
      noticeFailure(error)
    }
  }
  if (approval_state === 'pending' || approval_state === 'approved')
    return <DecisionButtons request={request} />
  return (
    <Button variant="default" onClick={() => void save()}>
      <Trans>Save the signed report</Trans>
    </Button>
  )
}

function Session(props: {
  session: SupportSession
  /** Absent for the client's own people. */
  clientName?: string
  actions?: ReactNode
  children: ReactNode
}) {
  const { t } = useLingui()
  const { session } = props
  const { request, steps, step_count } = session
  const requester = getRequester(request)
  const isLive = request.approval_state === 'approved'
  return (
    <>
      <PageHeader
        title={t`Support access of ${requester}`}
        aside={
          <Group gap="xs">
            <ApprovalBadge state={request.approval_state} />
            {isLive && session.started_at !== null && (
              <Badge color="teal">
                <Trans>Live</Trans>
              </Badge>
            )}
          </Group>
        }
        description={<span style={{ whiteSpace: 'pre-line' }}>{request.request_description}</span>}
        actions={props.actions}
      />
      <Stack>
        <Paper p="md">
          <RequestFacts session={session} clientName={props.clientName} />
        </Paper>
        <Paper p="md">
          <Consent isPart session={session} until={request.approval_expiry ?? request.requested_expiry} />
        </Paper>
        <Paper p="md" component="section" aria-labelledby="support-steps">
          <Group justify="space-between" mb="xs">
            <Title order={2} size="h4" id="support-steps">
              <Plural value={step_count} _0="No steps yet" one="# step" other="# steps" />
            </Title>
            {props.children}
          </Group>
          {steps.length > 0 && <Steps steps={steps} />}
          {step_count > steps.length && (
            <Text size="sm" c="dimmed" mt="xs">
              <Trans>These are the newest. The audit log has all.</Trans>
            </Text>
          )}
        </Paper>
      </Stack>
    </>
  )
}

function RequestFacts({
  session: { request, seconds, started_at },
  clientName,
}: {
  session: SupportSession
  clientName: string | undefined
}) {
  const { t } = useLingui()
  const minutes = Math.ceil(seconds / 60)
  const mayReadRole = useMay()('roles:read') && clientName === undefined
  return (
    <Facts>
      <Fact label={t`Client`}>{clientName}</Fact>
      <Fact label={t`Requested by`}>
        <span title={visible(request.requested_by)}>
          {getRequester(request)} · <Time at={request.requested_at} />
        </span>
      </Fact>
      <Fact label={t`Role`}>
        {mayReadRole ? (
          <LinkAnchor to="/dashboard/access/roles/$role_reference" params={{ role_reference: request.role }}>
            {request.role}
          </LinkAnchor>
        ) : (
          request.role
        )}
      </Fact>
      <Fact label={t`Approved by`}>
        {request.approved_by !== null && (
          <span>
            {authorName(request, 'approved_by')}
            {request.approval_expiry !== null && (
              <>
                {' · '}
                <Trans>
                  until <Time at={request.approval_expiry} />
                </Trans>
              </>
            )}
          </span>
        )}
      </Fact>
      <Fact label={t`Reason for rejection`}>{request.rejection_reason}</Fact>
      <Fact label={t`In support mode`}>
        {started_at === null ? (
          <Trans>Never</Trans>
        ) : (
          <span>
            <Plural value={minutes} one="# minute" other="# minutes" />
            {' · '}
            <Trans>
              since <Time at={started_at} />
            </Trans>
          </span>
        )}
      </Fact>
      <Fact label={t`Reference`}>
        <Reference value={request.request_reference} length={22} />
      </Fact>
    </Facts>
  )
}

function Steps({ steps }: { steps: readonly PortalActivity[] }) {
  const { t } = useLingui()
  return (
    <DataTable
      caption={t`Steps in order`}
      rows={steps}
      getKey={({ log_id }) => log_id}
      columns={[
        {
          label: t`Time`,
          width: '180px',
          cell: ({ activity_time }) => <Time at={activity_time} style="second" />,
        },
        { label: t`What happened`, cell: (row) => <Sentence row={row} /> },
        {
          label: t`Outcome`,
          width: '200px',
          cell: (row) => (
            <Stack gap={0}>
              <OutcomeCell row={row} />
              <ReasonCell row={row} />
            </Stack>
          ),
        },
      ]}
    />
  )
}
