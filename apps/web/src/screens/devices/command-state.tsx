import type { CommandState } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { COMMAND_STATE_WORDS } from '../../components/words/device-command-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'

const LOOKS = {
  Sent: { color: 'gray', icon: 'clock' },
  Acknowledged: { color: 'cyan', icon: 'eye' },
  Completed: { color: 'teal', icon: 'check' },
  Failed: { color: 'red', icon: 'warning' },
} as const satisfies Record<CommandState, { color: string; icon: IconName }>

/** State of a command as icon, word and colour. */
export function CommandStateBadge({ state }: { state: CommandState }) {
  const look = LOOKS[state]
  return (
    <Badge color={look.color} leftSection={<Icon name={look.icon} size={13} />}>
      <SpecWord value={state} words={COMMAND_STATE_WORDS} />
    </Badge>
  )
}
