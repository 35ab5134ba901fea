import type { ClientAccount } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Whether a client is suspended, since when and why. */
export function ClientState({ suspended_at, suspended_by, suspended_reason, ...account }: ClientAccount) {
  if (suspended_at === null)
    return (
      <Text c="dimmed">
        <Trans context="client">Active</Trans>
      </Text>
    )
  const who = visible(suspended_by ?? '')
  return (
    <>
      <Badge color="red" leftSection={<Icon name="lock" size={13} />}>
        <Trans context="client">Suspended</Trans>
      </Badge>
      <Text size="sm" c="dimmed">
        <Time at={suspended_at} /> · {who}
      </Text>
      <Text size="sm" c="dimmed">
        {visible(suspended_reason ?? '')}
      </Text>
      {account.deletion_proposed_by !== null && <WaitingDeletion {...account} />}
    </>
  )
}

function WaitingDeletion({
  deletion_proposed_at,
  deletion_proposed_by,
}: Pick<ClientAccount, 'deletion_proposed_at' | 'deletion_proposed_by'>) {
  const who = visible(deletion_proposed_by ?? '')
  return (
    <>
      <Badge color="orange" mt={4} miw="max-content" leftSection={<Icon name="clock" size={13} />}>
        <Trans>Deletion proposed</Trans>
      </Badge>
      <Text size="sm" c="dimmed">
        {deletion_proposed_at !== null && <Time at={deletion_proposed_at} />} · {who}
      </Text>
    </>
  )
}

/** Suspends a client, or resumes it. */
export function SuspensionButton({ account }: { account: ClientAccount }) {
  const { t } = useLingui()
  const [isAsked, setAsked] = useState(false)
  const { client, client_name, suspended_at } = account
  const close = () => setAsked(false)
  const isSuspended = suspended_at !== null
  return (
    <>
      <PageAct
        icon={isSuspended ? 'play' : 'pause'}
        label={isSuspended ? t`Resume…` : t`Suspend…`}
        onClick={() => setAsked(true)}
      />
      {isAsked && !isSuspended && <SuspendDialog account={account} onClose={close} />}
      {isAsked && isSuspended && (
        <Confirm
          title={t`Resume ${client_name}?`}
          confirmLabel={t`Resume`}
          onConfirm={async () => {
            await internalApi.resumeClient({ params: { client } })
            close()
            noticeDone(t`${client_name} is active again`)
          }}
          onClose={close}
        >
          <Text size="sm">
            <Trans>Users and apps of the client can sign in again.</Trans>
          </Text>
        </Confirm>
      )}
    </>
  )
}

function SuspendDialog({ account, onClose }: { account: ClientAccount; onClose: () => void }) {
  const { t } = useLingui()
  const { client, client_name } = account
  const form = useForm<{ reason: string }, ClientAccount>({
    initial: { reason: '' },
    labels: { reason: t`Reason` },
    save: ({ reason }) => internalApi.suspendClient({ params: { client }, body: { reason: reason.trim() } }),
    onSaved: () => {
      onClose()
      noticeDone(t`${client_name} is suspended`)
    },
  })
  return (
    <Dialog title={t`Suspend ${client_name}?`} onClose={onClose}>
      <ShortForm form={form} save={<Trans>Suspend</Trans>} isDangerous onCancel={onClose}>
        <Text size="sm">
          <Trans>
            Its users and apps are signed out and blocked until you resume it. Devices keep recording and
            uploading.
          </Trans>
        </Text>
        <Textarea
          label={t`Reason`}
          description={t`Recorded in the audit logs of the client and of the provider`}
          required
          autosize
          minRows={2}
          data-autofocus
          {...form.field('reason')}
        />
      </ShortForm>
    </Dialog>
  )
}
