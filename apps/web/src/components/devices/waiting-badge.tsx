import type { Device } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { WAITING_WORDS } from '../words/device-words.ts'
import { SpecWord } from '../words/spec-word.tsx'

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
