import type { DeviceState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** States of devices. */
export const DEVICE_STATE_WORDS: Words<DeviceState> = {
  activated: msg({ context: 'device', message: 'Activated' }),
  pending: msg({ context: 'device', message: 'Pending' }),
  deactivated: msg({ context: 'device', message: 'Deactivated' }),
  blocked: msg({ context: 'device', message: 'Blocked' }),
}
