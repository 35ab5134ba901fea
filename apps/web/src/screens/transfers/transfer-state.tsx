import type { TransferItemState, TransferState as State } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { TRANSFER_STATE_WORDS } from '../../components/transfers/transfer-words.ts'

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
