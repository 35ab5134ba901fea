import type { Device, DeviceState, Silence } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { DEVICE_STATE_WORDS, SILENCE_WORDS, WAITING_WORDS } from '../words/device-words.ts'
import { type BadgeStyles, SpecWord, WordBadge } from '../words/spec-word.tsx'

const STYLES: BadgeStyles<DeviceState> = {
  activated: { color: 'teal', icon: 'check' },
  pending: { color: 'yellow', icon: 'clock' },
  deactivated: { color: 'gray', icon: 'x' },
  blocked: { color: 'red', icon: 'lock' },
}

/** The state of a device as icon, word and colour. */
export function DeviceStateBadge({ state }: { state: DeviceState }) {
  return <WordBadge value={state} words={DEVICE_STATE_WORDS} styles={STYLES} />
}

const SILENCE_BADGE_STYLES: BadgeStyles<Silence> = {
  silent: { color: 'orange', icon: 'moon' },
  long_silent: { color: 'red', icon: 'moon' },
  silent_but_alive: { color: 'orange', icon: 'warning' },
}

/** Silence level of a device; empty for an active device. */
export function SilenceBadge({ silence }: { silence: Silence | null }) {
  if (silence === null) return null
  return <WordBadge value={silence} words={SILENCE_WORDS} styles={SILENCE_BADGE_STYLES} />
}

/** Whether an administrator must decide who holds a device; a rejected device is blocked. */
export const isWaiting = ({ waiting_since, device_state }: Device): boolean =>
  waiting_since !== null && device_state !== 'blocked'

/** Why a device is pending; empty where it is not. */
export function WaitingBadge({ device }: { device: Device }) {
  const { waiting_reason } = device
  if (waiting_reason === null || !isWaiting(device)) return null
  return (
    <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
      <SpecWord value={waiting_reason} words={WAITING_WORDS} />
    </Badge>
  )
}
