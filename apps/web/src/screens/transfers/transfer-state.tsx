import type { TransferItemState, TransferProblem, TransferState as State } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { TRANSFER_PROBLEM_WORDS, TRANSFER_STATE_WORDS } from '../../components/transfers/transfer-words.ts'
import type { I18n } from '@lingui/core'
import { visible } from '../../ui/visible.ts'

const LOOKS: Readonly<Record<State | TransferItemState, [color: string, icon: IconName]>> = {
  Pending: ['gray', 'clock'],
  InProgress: ['blue', 'clock'],
  Succeeded: ['teal', 'check'],
  PartialFail: ['orange', 'warning'],
  Failed: ['red', 'alert-circle'],
}

/** State of a run or item. */
export function TransferState({ state }: { state: State | TransferItemState }) {
  const { i18n } = useLingui()
  const [color, icon] = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />} title={state}>
      {i18n._(TRANSFER_STATE_WORDS[state])}
    </Badge>
  )
}

/** Failure reason, translated where it is a known cause. */
export function FailureReason({ message }: { message: string }) {
  const { i18n } = useLingui()
  return <span title={visible(message)}>{reasonText(i18n, message)}</span>
}

function reasonText(i18n: I18n, message: string): string {
  const [code = ''] = message.split(/[:\s]/, 1)
  return code in TRANSFER_PROBLEM_WORDS
    ? i18n._(TRANSFER_PROBLEM_WORDS[code as TransferProblem])
    : visible(message)
}
