import { PROPOSAL_ACTIONS, type Proposal } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { proposalsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { actText } from './proposal-words.ts'

/** Confirms or rejects another person's proposal, or withdraws one's own; explains a missing right. */
export function DecideButtons({ proposal }: { proposal: Proposal }) {
  const may = useMay()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<'confirm' | 'reject' | 'withdraw'>()
  const { act } = proposal
  const close = () => setAsked(undefined)
  const isMine = proposal.proposed_by === user_reference
  if (!may('account.proposals:update') || (!isMine && !may(PROPOSAL_ACTIONS[act.kind])))
    return (
      <Text size="sm" c="dimmed">
        <Trans>Another person with this permission must confirm.</Trans>
      </Text>
    )
  return (
    <>
      {isMine ? (
        <Group>
          <Button variant="default" onClick={() => setAsked('withdraw')}>
            <Trans>Withdraw</Trans>
          </Button>
          <Text size="sm" c="dimmed">
            <Trans>You proposed this: another person must decide.</Trans>
          </Text>
        </Group>
      ) : (
        <Group>
          <Button leftSection={<Icon name="check" size={16} />} onClick={() => setAsked('confirm')}>
            <Trans>Confirm</Trans>
          </Button>
          <Button variant="light" color="red" onClick={() => setAsked('reject')}>
            <Trans>Reject</Trans>
          </Button>
        </Group>
      )}
      {asked === 'confirm' && <ConfirmDialog proposal={proposal} close={close} />}
      {asked === 'withdraw' && <WithdrawDialog proposal={proposal} close={close} />}
      {asked === 'reject' && <RejectDialog proposal={proposal} close={close} />}
    </>
  )
}

interface ConfirmProps {
  proposal: Proposal
  close: () => void
}

function ConfirmDialog({ proposal: { act, proposal_id }, close }: ConfirmProps) {
  const { t, i18n } = useLingui()
  return (
    <Confirm
      title={`${actText(i18n, act)}?`}
      confirmLabel={t`Confirm`}
      isDangerous
      onConfirm={async () => {
        const { state } = await proposalsApi.confirmProposal({ params: { proposal_id }, query: {} })
        close()
        noticeDone(
          state === 'superseded'
            ? t`Not executed: the subject, a role or the sign-in has changed since the proposal`
            : t`Confirmed and done`,
        )
      }}
      onClose={close}
    >
      <Text size="sm">
        <Trans>It is done at once. The record shows both names.</Trans>
      </Text>
    </Confirm>
  )
}

function WithdrawDialog({ proposal: { proposal_id }, close }: ConfirmProps) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Withdraw the proposal?`}
      confirmLabel={t`Withdraw`}
      onConfirm={async () => {
        await proposalsApi.withdrawProposal({ params: { proposal_id }, query: {} })
        close()
        noticeDone(t`Proposal withdrawn`)
      }}
      onClose={close}
    >
      <Text size="sm">
        <Trans>Nothing changes. You can propose it again.</Trans>
      </Text>
    </Confirm>
  )
}

function RejectDialog({ proposal: { proposal_id }, close }: ConfirmProps) {
  const { t } = useLingui()
  return (
    <ReasonDialog
      title={t`Reject the proposal?`}
      description={t`3 to 500 characters. Shown with the proposal, never logged.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={<Trans>Reject</Trans>}
      isDangerous
      save={(reason) =>
        proposalsApi.rejectProposal({
          params: { proposal_id },
          query: {},
          body: { reason: reason.replace(/\s+/g, ' ') },
        })
      }
      onSaved={() => {
        close()
        noticeDone(t`Proposal rejected`)
      }}
      onClose={close}
    >
      <Text size="sm">
        <Trans>Nothing changes.</Trans>
      </Text>
    </ReasonDialog>
  )
}
