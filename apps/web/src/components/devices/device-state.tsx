import type { DeviceState } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { DEVICE_STATE_WORDS } from '../words/device-words.ts'
import { SpecWord } from '../words/spec-word.tsx'

const LOOKS = {
  activated: { color: 'teal', icon: 'check' },
  pending: { color: 'yellow', icon: 'clock' },
  deactivated: { color: 'gray', icon: 'x' },
  blocked: { color: 'red', icon: 'lock' },
} as const satisfies Record<DeviceState, { color: string; icon: IconName }>

/** The state of a device as icon, word and colour. */
export function DeviceStateBadge({ state }: { state: DeviceState }) {
  const look = LOOKS[state]
  return (
    <Badge color={look.color} leftSection={<Icon name={look.icon} size={13} />}>
      <SpecWord value={state} words={DEVICE_STATE_WORDS} />
    </Badge>
  )
}
