import type { SupportAccess } from '@custodia/contract'
import { stateAt } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Anchor, Group, Text } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import { RoleFacts } from './role-facts.tsx'
import { ApprovalBadge } from './support-columns.tsx'

const requestQuery = (request_reference: string) =>
  queryOptions({
    queryKey: keyOf('readSupportAccess', request_reference),
    queryFn: ({ signal }) => api.readSupportAccess({ params: { request_reference }, query: {} }, { signal }),
  })

/** Preview of a request: reason, role, decision and available actions. */
export default function SupportPreview({ rowKey, row }: PreviewProps<SupportAccess>) {
  return (
    <RecordPreview row={row} query={requestQuery(rowKey)} action="supportaccess:read">
      {(request) => <Request request={request} />}
    </RecordPreview>
  )
}

function Request({ request }: { request: SupportAccess }) {
  const { t } = useLingui()
  const may = useMay()
  const now = useNow()
  const state = stateAt(request, now)
  return (
    <>
      <Group>
        <ApprovalBadge state={state} />
      </Group>
      {state === 'expired' && (
        <Alert color="gray" icon={<Icon name="history" />} p="sm">
          {request.approval_expiry === null ? (
            <Trans>No decision was made before the requested time ended.</Trans>
          ) : (
            <Trans>The approved time has ended.</Trans>
          )}
        </Alert>
      )}
      <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{request.request_description}</Text>
      <DecisionButtons request={request} />
      <Facts title={t`Request`}>
        <Fact label={t`Requested by`}>{request.requested_by}</Fact>
        <Fact label={t`Requested at`}>
          <Time at={request.requested_at} />
        </Fact>
        <Fact label={t`Requested until`}>
          <Time at={request.requested_expiry} />
        </Fact>
        <Fact label={t`Reference`}>
          <Reference value={request.request_reference} length={22} />
        </Fact>
      </Facts>
      <Facts title={t`Decision`}>
        <Fact label={t`Approved by`}>{request.approved_by}</Fact>
        <Fact label={t`Approved until`}>
          {request.approval_expiry === null ? null : <Time at={request.approval_expiry} />}
        </Fact>
        <Fact label={t`Reason`}>{request.rejection_reason}</Fact>
        <Fact label={t`Last change`}>
          <span>
            <Time at={request.updated_at} /> · {request.updated_by}
          </span>
        </Fact>
      </Facts>
      <RoleFacts role={request.role} />
      {may('activities:list') && request.approved_by !== null && (
        <Anchor
          renderRoot={(props) => (
            <Link
              {...props}
              to="/dashboard/account/audit"
              search={{ support_reference: request.request_reference }}
            />
          )}
        >
          <Trans>Their audit log</Trans>
        </Anchor>
      )}
    </>
  )
}
