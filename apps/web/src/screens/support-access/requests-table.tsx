import type { ApprovalState, SupportAccess } from '@custodia/contract'
import { type SupportAction, supportObstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { startSupportMode } from '../../api/support-mode.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { Moment } from '../../components/cells.tsx'
import { useClientName } from '../../components/clients/clients.tsx'
import { TimeLeft } from '../../components/support-access/support-access.tsx'
import { useTimeLeft } from '../../components/support-access/time-left.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { Reference } from '../../ui/reference.tsx'
import { useNow } from '../../ui/use-now.ts'
import { authorName } from '../../ui/visible.ts'
import { getRequester } from './support-columns.tsx'

/** Requests of one state with their actions. */
export function RequestsTable({
  state,
  requests,
}: {
  state: ApprovalState
  requests: readonly SupportAccess[]
}) {
  const { t } = useLingui()
  const [toCancel, setToCancel] = useState<SupportAccess>()
  const isOpen = state === 'pending' || state === 'approved'
  return (
    <>
      <DataTable
        caption={t`Support requests`}
        columns={useColumns(state)}
        rows={requests}
        getKey={({ request_reference }) => request_reference}
        actions={
          isOpen
            ? (request) => <Actions request={request} onCancel={() => setToCancel(request)} />
            : undefined
        }
      />
      {toCancel !== undefined && <Cancel request={toCancel} onClose={() => setToCancel(undefined)} />}
    </>
  )
}

function useColumns(state: ApprovalState): DataColumn<SupportAccess>[] {
  const { t } = useLingui()
  const clientName = useClientName()
  return [
    { label: t`Client`, cell: ({ client }) => <strong title={client}>{clientName(client)}</strong> },
    {
      label: t`Role and description`,
      cell: ({ client, role, request_description, request_reference, approved_by }) => (
        <>
          <Text fw={600}>{role}</Text>
          <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-line' }}>
            {request_description}
          </Text>
          {approved_by !== null && (
            <LinkAnchor
              size="sm"
              to="/internal/support/$client/$request_reference"
              params={{ client, request_reference }}
            >
              <Trans>What support did</Trans>
            </LinkAnchor>
          )}{' '}
          <Reference value={request_reference} length={9} />
        </>
      ),
    },
    {
      label: t`Requested`,
      cell: (request) => (
        <>
          {getRequester(request)}
          <Text size="sm" c="dimmed">
            <Moment at={request.requested_at} />
          </Text>
        </>
      ),
    },
    {
      label: state === 'approved' ? t`Approved until` : t`Requested until`,
      cell: (request) => <AccessEndTime request={request} />,
    },
    ...(state === 'pending'
      ? []
      : [{ label: t`Outcome`, cell: (request: SupportAccess) => <Outcome request={request} /> }]),
  ]
}

function AccessEndTime({ request }: { request: SupportAccess }) {
  const until = request.approval_expiry ?? request.requested_expiry
  const left = useTimeLeft(until)
  return (
    <>
      <Moment at={until} />
      {(request.approval_state === 'approved' || request.approval_state === 'pending') && (
        <Text size="sm" c="dimmed" className="tabular">
          <TimeLeft seconds={left} />
        </Text>
      )}
    </>
  )
}

/** Decision, author and reason. */
function Outcome({ request }: { request: SupportAccess }) {
  const { approval_state, rejection_reason, updated_by, updated_at } = request
  const approved_by = authorName(request, 'approved_by')
  return (
    <>
      <Text size="sm">
        {approval_state === 'approved' ? <Trans>Approved by {approved_by}</Trans> : updated_by}
      </Text>
      <Text size="sm" c="dimmed">
        <Moment at={updated_at} />
      </Text>
      {rejection_reason !== null && (
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          <Trans>Reason: {rejection_reason}</Trans>
        </Text>
      )}
    </>
  )
}

/** Own requests only: withdraw while pending, start support mode while approved. */
function Actions({ request, onCancel }: { request: SupportAccess; onCancel: () => void }) {
  const { user_reference } = useProfile()
  const may = useMay()
  const starting = useMutation({ mutationFn: () => startSupportMode(request) })
  const now = useNow()
  const isFree = (input: SupportAction | 'start') =>
    supportObstacle(request, input, { now, by: user_reference }) === undefined
  if (may('internal.supportaccess:cancel') && isFree('cancel'))
    return (
      <Button size="xs" variant="default" onClick={onCancel}>
        <Trans>Withdraw</Trans>
      </Button>
    )
  return (
    may('internal.support_mode:start') &&
    isFree('start') && (
      <Group justify="flex-end">
        <Button
          size="xs"
          loading={starting.isPending}
          leftSection={<Icon name="lifebuoy" size={15} />}
          onClick={() => starting.mutate()}
        >
          <Trans>Start support mode</Trans>
        </Button>
      </Group>
    )
  )
}

function Cancel({ request, onClose }: { request: SupportAccess; onClose: () => void }) {
  const { t } = useLingui()
  const { client, request_reference } = request
  const client_name = useClientName()(client)
  return (
    <Confirm
      title={t`Take the request back?`}
      confirmLabel={t`Withdraw`}
      cancelLabel={t`Keep request`}
      onClose={onClose}
      onConfirm={async () => {
        await internalApi.cancelSupportAccess({ params: { client, request_reference } })
        onClose()
        noticeDone(t`Request withdrawn`)
      }}
    >
      <Trans>{client_name} no longer has to decide. You can request access again.</Trans>
    </Confirm>
  )
}
