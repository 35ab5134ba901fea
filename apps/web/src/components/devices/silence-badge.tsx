import type { Silence } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { SILENCE_WORDS } from '../words/device-words.ts'
import { SpecWord } from '../words/spec-word.tsx'

const LOOKS = {
  silent: { color: 'orange', icon: 'moon' },
  long_silent: { color: 'red', icon: 'moon' },
  silent_but_alive: { color: 'orange', icon: 'warning' },
} as const satisfies Record<Silence, { color: string; icon: IconName }>

/** Silence level of a device; empty for an active device. */
export function SilenceBadge({ silence }: { silence: Silence | null }) {
  if (silence === null) return null
  const look = LOOKS[silence]
  return (
    <Badge color={look.color} leftSection={<Icon name={look.icon} size={13} />}>
      <SpecWord value={silence} words={SILENCE_WORDS} />
    </Badge>
  )
}
