import type { PayloadState, PayloadType } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { PAYLOAD_STATE_WORDS, PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'
import type { IconName } from '../../ui/icon.tsx'

/** Icon and colour of each payload state (spec section 4). */
const STYLES: BadgeStyles<PayloadState> = {
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
}

/** A payload state as icon, word and colour. */
export function StateBadge({ state }: { state: PayloadState }) {
  return <WordBadge value={state} words={PAYLOAD_STATE_WORDS} styles={STYLES} />
}

/** Icon and word of each payload type (spec section 4). */
export const PAYLOAD_TYPE_STYLES: Readonly<Record<PayloadType, { icon: IconName; word: MessageDescriptor }>> =
  {
    Call: { icon: 'phone', word: PAYLOAD_TYPE_WORDS.Call },
    AbortedCall: { icon: 'phone', word: PAYLOAD_TYPE_WORDS.AbortedCall },
    BlockedCall: { icon: 'phone', word: PAYLOAD_TYPE_WORDS.BlockedCall },
    Interview: { icon: 'microphone', word: PAYLOAD_TYPE_WORDS.Interview },
    Photo: { icon: 'image', word: PAYLOAD_TYPE_WORDS.Photo },
    Video: { icon: 'video', word: PAYLOAD_TYPE_WORDS.Video },
    SMS: { icon: 'message', word: PAYLOAD_TYPE_WORDS.SMS },
    MMS: { icon: 'messages', word: PAYLOAD_TYPE_WORDS.MMS },
    RCS: { icon: 'messages', word: PAYLOAD_TYPE_WORDS.RCS },
    Diagnostics: { icon: 'wrench', word: PAYLOAD_TYPE_WORDS.Diagnostics },
  }
