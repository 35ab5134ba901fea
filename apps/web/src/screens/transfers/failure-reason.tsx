import type { TransferProblem } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { TRANSFER_PROBLEM_WORDS } from '../../components/transfers/transfer-words.ts'
import { visible } from '../../ui/visible.ts'

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
