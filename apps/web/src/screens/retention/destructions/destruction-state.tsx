import type { DestructionItemState, DestructionState as State } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import type { Words } from '../../../components/words/spec-word.tsx'

/** Outcomes of a destruction list. */
const STATE_WORDS: Words<State> = {
  gathering: msg({ context: 'state of a list of destructions', message: 'Being prepared' }),
  waiting: msg({ context: 'state of a list of destructions', message: 'Awaiting release' }),
  released: msg({ context: 'state of a list of destructions', message: 'Released' }),
  lapsed: msg({ context: 'state of a list of destructions', message: 'Cancelled' }),
}

/** Outcomes of a recording in a destruction list. */
export const DESTRUCTION_ITEM_WORDS: Words<DestructionItemState> = {
  listed: msg({ context: 'recording in a list of destructions', message: 'To be destroyed' }),
  taken_out: msg({ context: 'recording in a list of destructions', message: 'Removed' }),
  put_back: msg({ context: 'recording in a list of destructions', message: 'Returned' }),
  destroyed: msg({ context: 'recording in a list of destructions', message: 'Destroyed' }),
  kept: msg({ context: 'recording in a list of destructions', message: 'No longer due' }),
}

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
      {i18n._(STATE_WORDS[state])}
    </Badge>
  )
}
