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

type Step = 'propose' | 'confirm' | 'withdraw'

/** Proposes the deletion of a suspended client; a second member of staff confirms it. */
export default function DeletionButtons({ account, onDeleted }: Props) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<Step>()
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
          aria-label={t`Confirm deletion of ${client_name}`}
        >
          <Trans>Confirm deletion…</Trans>
        </Button>
      )}
      {deletion_proposed_by !== null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsked('withdraw')}
          aria-label={t`Withdraw deletion of ${client_name}`}
        >
          <Trans>Withdraw deletion…</Trans>
        </Button>
      )}
      {asked && <Question asked={asked} account={account} onClose={close} onDeleted={onDeleted} />}
    </>
  )
}

/** Question before each step of the deletion. */
function Question({
  asked,
  account: { client, client_name, deletion_proposed_by },
  onClose,
  onDeleted,
}: Props & { asked: Step; onClose: () => void }) {
  const { t } = useLingui()
  const who = visible(deletion_proposed_by ?? '')
  const params = { client }
  const done = (notice: string) => {
    onClose()
    noticeDone(notice)
  }
  const question = {
    propose: {
      title: t`Propose to delete ${client_name}?`,
      confirmLabel: t`Propose deletion`,
      text: t`Remove all recordings, legal holds, matters and proposals first. Another staff member must confirm.`,
      act: async () => {
        await internalApi.proposeClientDeletion({ params })
        done(t`Proposed. Another staff member must confirm it.`)
      },
    },
    confirm: {
      title: t`Permanently delete ${client_name}?`,
      confirmLabel: t`Delete`,
      text: t`Proposed by ${who}. This cannot be undone: devices can no longer upload, and the reference ${client} is never reused. Audit logs and certificates stay.`,
      act: async () => onDeleted(await internalApi.confirmClientDeletion({ params })),
    },
    withdraw: {
      title: t`Withdraw the deletion of ${client_name}?`,
      confirmLabel: t`Withdraw`,
      text: t`The client stays suspended. You can propose deletion again.`,
      act: async () => {
        await internalApi.withdrawClientDeletion({ params })
        done(t`Deletion withdrawn`)
      },
    },
  }[asked]
  return (
    <Confirm
      title={question.title}
      confirmLabel={question.confirmLabel}
      isDangerous={asked !== 'withdraw'}
      onConfirm={question.act}
      onClose={onClose}
    >
      <Text size="sm">{question.text}</Text>
    </Confirm>
  )
}
