import type { PayloadType } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import type { IconName } from '../ui/icon.tsx'
import { PAYLOAD_TYPE_WORDS } from './words/payload-words.ts'

/** Icon and word of each payload type (spec section 4). */
export const PAYLOAD_TYPE_LOOKS: Readonly<Record<PayloadType, { icon: IconName; word: MessageDescriptor }>> =
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
