import type { CommandState } from '@custodia/contract'
import { COMMAND_STATE_WORDS } from '../../components/words/device-command-words.ts'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'

const STYLES: BadgeStyles<CommandState> = {
  Sent: { color: 'gray', icon: 'clock' },
  Acknowledged: { color: 'cyan', icon: 'eye' },
  Completed: { color: 'teal', icon: 'check' },
  Failed: { color: 'red', icon: 'warning' },
}

/** State of a command as icon, word and colour. */
export function CommandStateBadge({ state }: { state: CommandState }) {
  return <WordBadge value={state} words={COMMAND_STATE_WORDS} styles={STYLES} />
}
