import type { PayloadType } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { IconName } from './icon.tsx'

/** Icon and word of each payload type (spec section 4). */
export const PAYLOAD_TYPE_LOOKS: Readonly<Record<PayloadType, { icon: IconName; word: MessageDescriptor }>> =
  {
    Call: { icon: 'phone', word: msg`Call` },
    AbortedCall: { icon: 'phone', word: msg`Aborted call` },
    BlockedCall: { icon: 'phone', word: msg`Blocked call` },
    Interview: { icon: 'microphone', word: msg`Interview` },
    Photo: { icon: 'image', word: msg`Photo` },
    Video: { icon: 'video', word: msg`Video` },
    SMS: { icon: 'message', word: msg`SMS` },
    MMS: { icon: 'messages', word: msg`MMS` },
    RCS: { icon: 'messages', word: msg`RCS` },
    Diagnostics: { icon: 'wrench', word: msg`Diagnostics` },
  }
