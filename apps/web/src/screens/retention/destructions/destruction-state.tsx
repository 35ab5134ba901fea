import type { DestructionState as State } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { DESTRUCTION_STATE_WORDS } from './destruction-words.ts'

const LOOKS: Readonly<Record<State, [color: string, icon: IconName]>> = {
  gathering: ['gray', 'clock'],
  waiting: ['orange', 'clock'],
  released: ['teal', 'check'],
  lapsed: ['gray', 'x'],
}

/** State of a destruction list. */
export function DestructionState({ state }: { state: State }) {
  const { i18n } = useLingui()
  const [color, icon] = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      {i18n._(DESTRUCTION_STATE_WORDS[state])}
    </Badge>
  )
}
