import type { SupportAccess } from '@custodia/contract'
import { type SupportAction, supportObstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { useProfile } from '../../api/use-profile.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { useNow } from '../../ui/use-now.ts'
import { ApproveDialog, decide } from './approve-dialog.tsx'
import { getRequester } from './support-columns.tsx'

const DECIDE = 'supportaccess:decide'

/** The client's decisions: approve or reject a pending request, revoke an approved one. */
export function DecisionButtons({ request }: { request: SupportAccess }) {
  const [open, setOpen] = useState<'approve' | 'reject' | 'revoke'>()
  const now = useNow()
  const close = () => setOpen(undefined)
  const { user_reference } = useProfile()
  const obstacleTo = (input: SupportAction) => supportObstacle(request, input, { now, by: user_reference })
  return (
    <>
      {obstacleTo('reject') === undefined && (
        <Group gap="xs">
          <MayButton
            action={DECIDE}
            size="xs"
            leftSection={<Icon name="check" size={15} />}
            onClick={() => setOpen('approve')}
          >
            <Trans>Approve…</Trans>
          </MayButton>
          <MayButton
            action={DECIDE}
            size="xs"
            variant="default"
            leftSection={<Icon name="x" size={15} />}
            onClick={() => setOpen('reject')}
          >
            <Trans>Reject…</Trans>
          </MayButton>
        </Group>
      )}
      {obstacleTo('revoke') === undefined && (
        <Group gap="xs">
          <MayButton
            action={DECIDE}
            size="xs"
            color="red"
            leftSection={<Icon name="lock" size={15} />}
            onClick={() => setOpen('revoke')}
          >
            <Trans>Revoke…</Trans>
          </MayButton>
        </Group>
      )}
      {open === 'approve' && <ApproveDialog request={request} onClose={close} />}
      {open === 'reject' && <RejectDialog request={request} onClose={close} />}
      {open === 'revoke' && <RevokeQuestion request={request} onClose={close} />}
    </>
  )
}

interface DialogProps {
  request: SupportAccess
  onClose: () => void
}

function RejectDialog({ request, onClose }: DialogProps) {
  const { t } = useLingui()
  const { request_reference } = request
  const requester = getRequester(request)
  return (
    <ReasonDialog
      title={t`Reject support access`}
      name="rejection_reason"
      description={t`Your provider can read this.`}
      limits={{ min: 3, max: 2000 }}
      submitLabel={<Trans>Reject</Trans>}
      isDangerous
      save={(rejection_reason) => decide(request_reference, { approval_state: 'rejected', rejection_reason })}
      onSaved={() => {
        noticeDone(t`Support access rejected`)
        onClose()
      }}
      onClose={onClose}
    >
      <Text>
        <Trans>{requester} gets no access and can ask again.</Trans>
      </Text>
    </ReasonDialog>
  )
}

function RevokeQuestion({ request, onClose }: DialogProps) {
  const { t } = useLingui()
  const { request_reference } = request
  const requester = getRequester(request)
  return (
    <Confirm
      title={t`Revoke support access?`}
      confirmLabel={t`Revoke`}
      isDangerous
      onConfirm={async () => {
        await decide(request_reference, { approval_state: 'revoked' })
        noticeDone(t`Support access revoked`)
        onClose()
      }}
      onClose={onClose}
    >
      <Text>
        <Trans>
          Access ends at once: {requester} is signed out and running downloads stop. They must request access
          again.
        </Trans>
      </Text>
    </Confirm>
  )
}
