import type { HoldTarget } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

/** Types of held people. */
export const HOLD_TARGET_WORDS: Words<HoldTarget> = {
  DeviceUser: msg`Device user`,
  PortalUser: msg`Portal user`,
}
