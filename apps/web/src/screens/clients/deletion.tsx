import type { ClientAccount, ClientDeletion } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useProfile } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { visible } from '../../ui/visible.ts'

interface Props {
  account: ClientAccount
  onDeleted: (deletion: ClientDeletion) => void
}

/** Proposes the deletion of a suspended client; a second member of staff confirms it. */
export default function DeletionButtons({ account, onDeleted }: Props) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<'propose' | 'confirm' | 'withdraw'>()
  const { client_name, deletion_proposed_by } = account
  const isMine = deletion_proposed_by === `${user_reference} (provider)`
  const close = () => setAsked(undefined)
  return (
    <>
      {deletion_proposed_by === null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsked('propose')}
          aria-label={t`Delete ${client_name}`}
        >
          <Trans>Delete…</Trans>
        </Button>
      )}
      {deletion_proposed_by !== null && !isMine && (
        <Button
          size="xs"
          color="red"
          onClick={() => setAsked('confirm')}
          aria-label={t`Confirm the deletion of ${client_name}`}
        >
          <Trans>Confirm deletion…</Trans>
        </Button>
      )}
      {deletion_proposed_by !== null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsked('withdraw')}
          aria-label={t`Withdraw the deletion of ${client_name}`}
        >
          <Trans>Withdraw deletion…</Trans>
        </Button>
      )}
      {asked === 'propose' && <Propose account={account} onClose={close} />}
      {asked === 'confirm' && <ConfirmDeletion account={account} onClose={close} onDeleted={onDeleted} />}
      {asked === 'withdraw' && <Withdraw account={account} onClose={close} />}
    </>
  )
}

function Propose({
  account: { client, client_name },
  onClose,
}: {
  account: ClientAccount
  onClose: () => void
}) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Propose to delete ${client_name}?`}
      confirmLabel={t`Propose deletion`}
      isDangerous
      onConfirm={async () => {
        await internalApi.proposeClientDeletion({ params: { client } })
        onClose()
        noticeDone(t`Proposed. Another member of staff has to confirm it.`)
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>
          Possible only when no recording, legal hold, matter or proposal of the client is left. Another
          member of staff has to confirm it.
        </Trans>
      </Text>
    </Confirm>
  )
}

function ConfirmDeletion({ account, onClose, onDeleted }: Props & { onClose: () => void }) {
  const { t } = useLingui()
  const { client, client_name, deletion_proposed_by } = account
  const who = visible(deletion_proposed_by ?? '')
  return (
    <Confirm
      title={t`Delete ${client_name} for good?`}
      confirmLabel={t`Delete`}
      isDangerous
      onConfirm={async () => onDeleted(await internalApi.confirmClientDeletion({ params: { client } }))}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>
          Proposed by {who}. This cannot be undone: devices can no longer deliver, and the reference {client}{' '}
          is never used again. Audit logs and certificates stay.
        </Trans>
      </Text>
    </Confirm>
  )
}

function Withdraw({
  account: { client, client_name },
  onClose,
}: {
  account: ClientAccount
  onClose: () => void
}) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Withdraw the deletion of ${client_name}?`}
      confirmLabel={t`Withdraw`}
      onConfirm={async () => {
        await internalApi.withdrawClientDeletion({ params: { client } })
        onClose()
        noticeDone(t`The deletion is withdrawn`)
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>The client stays suspended. Its deletion can be proposed again.</Trans>
      </Text>
    </Confirm>
  )
}
