import {
  type ClientAccount,
  type ClientDeletion,
  type CreatedClient,
  FIRST_ENROLMENT_DAYS,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text, Alert, Code, Group, Stack, ScrollArea } from '@mantine/core'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useProfile } from '../../api/use-profile.ts'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { CopyButton } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'

interface Props {
  account: ClientAccount
  onDeleted: (deletion: ClientDeletion) => void
}

type Step = 'propose' | 'confirm' | 'withdraw'

/** Proposes the deletion of a suspended client; a second member of staff confirms it. */
export function DeletionButtons({ account, onDeleted }: Props) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<Step>()
  const { deletion_proposed_by } = account
  const isMine = deletion_proposed_by === `${user_reference} (provider)`
  const close = () => setAsked(undefined)
  return (
    <>
      {deletion_proposed_by === null && (
        <PageAct icon="trash" label={t`Delete…`} isDangerous onClick={() => setAsked('propose')} />
      )}
      {deletion_proposed_by !== null && !isMine && (
        <PageAct icon="trash" label={t`Confirm deletion…`} isDangerous onClick={() => setAsked('confirm')} />
      )}
      {deletion_proposed_by !== null && (
        <PageAct icon="x" label={t`Withdraw deletion…`} onClick={() => setAsked('withdraw')} />
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

/** Secrets of a new client, shown only while the dialog is open. */
export function CreatedDialog({ made, onClose }: { made: CreatedClient; onClose: () => void }) {
  const { t } = useLingui()
  const { account, account_key, enrolment } = made
  const { client, client_name, first_administrator } = account
  return (
    <Dialog title={t`${client_name} was created`} size="lg" onClose={onClose}>
      <Stack>
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Trans>Account key and enrolment are shown once. Copy them now.</Trans>
        </Alert>
        <Secret
          label={t`Sign-in address of ${first_administrator}`}
          value={`${location.origin}/sign-in?client=${client}`}
        />
        <Secret
          label={t`Account key`}
          description={t`For your device management: it proves that devices belong to the account.`}
          value={account_key}
        />
        <Secret
          label={t`First device enrolment`}
          description={t`Valid for one device and ${FIRST_ENROLMENT_DAYS} days.`}
          value={enrolment}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Secret({ label, description, value }: { label: string; description?: string; value: string }) {
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Text fw={600}>{label}</Text>
        <CopyButton value={value} name={label} />
      </Group>
      {description !== undefined && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
      <Code block mt={4} aria-label={label} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
    </div>
  )
}

/** Certificate of a deleted client. */
export function DeletedDialog({ deletion, onClose }: { deletion: ClientDeletion; onClose: () => void }) {
  const { t } = useLingui()
  const { client, client_name } = deletion.certificate
  const file = JSON.stringify(deletion, null, 2)
  return (
    <Dialog title={t`${client_name} is deleted`} size="lg" onClose={onClose}>
      <Stack>
        <Text size="sm">
          <Trans>Keep this certificate. It can be verified without the server.</Trans>
        </Text>
        <div>
          <Group gap="xs" wrap="nowrap">
            <Text fw={600}>
              <Trans>Certificate</Trans>
            </Text>
            <CopyButton value={file} name={t`Certificate`} />
          </Group>
          <ScrollArea.Autosize mah={320} mt={4} viewportProps={{ tabIndex: 0, 'aria-label': t`Certificate` }}>
            <Code block>{file}</Code>
          </ScrollArea.Autosize>
        </div>
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            component="a"
            href={`data:application/json;charset=utf-8,${encodeURIComponent(file)}`}
            download={`deletion-${client}.json`}
          >
            <Trans>Download</Trans>
          </Button>
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
