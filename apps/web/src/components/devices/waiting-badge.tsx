import type { Device } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { WAITING_WORDS } from '../words/device-words.ts'
import { SpecWord } from '../words/spec-word.tsx'

/** Whether somebody must decide whose a device is; one that was rejected is blocked. */
export const isWaiting = ({ waiting_since, device_state }: Device): boolean =>
  waiting_since !== null && device_state !== 'blocked'

/** Why a device waits; nothing where it does not. */
export function WaitingBadge({ device }: { device: Device }) {
  const { waiting_reason } = device
  if (waiting_reason === null || !isWaiting(device)) return null
  return (
    <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
      <SpecWord value={waiting_reason} words={WAITING_WORDS} />
    </Badge>
  )
}
