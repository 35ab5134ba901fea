import type { PayloadState } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../ui/icon.tsx'
import { PAYLOAD_STATE_WORDS } from './words/payload-words.ts'
import { SpecWord } from './words/spec-word.tsx'

/** Icon and colour of each payload state (spec section 4). */
const LOOKS = {
  NotRecorded: { color: 'gray', icon: 'x' },
  Recorded: { color: 'gray', icon: 'device' },
  Uploaded: { color: 'cyan', icon: 'upload' },
  Scanning: { color: 'violet', icon: 'search' },
  Processed: { color: 'teal', icon: 'check' },
  Transferred: { color: 'indigo', icon: 'arrow-right' },
  Deleted: { color: 'orange', icon: 'archive' },
  Destroyed: { color: 'gray', icon: 'trash' },
  Failed: { color: 'red', icon: 'warning' },
  Quarantined: { color: 'red', icon: 'shield-alert' },
} as const satisfies Record<PayloadState, { color: string; icon: IconName }>

/** A payload state as icon, word and colour. */
export function StateBadge({ state }: { state: PayloadState }) {
  const look = LOOKS[state]
  return (
    <Badge color={look.color} leftSection={<Icon name={look.icon} size={13} />}>
      <SpecWord value={state} words={PAYLOAD_STATE_WORDS} />
    </Badge>
  )
}
