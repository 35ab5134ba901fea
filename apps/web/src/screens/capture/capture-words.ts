import type { GapReason } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

/** Reasons of a capture gap. */
export const GAP_REASON_WORDS: Words<GapReason> = {
  no_phone: msg`No phone`,
  unlicensed: msg`No licence`,
  silent: msg`Phone silent`,
  service_off: msg`Switched off on the phone`,
  not_allowed: msg`Not permitted on the phone`,
  no_device_admin: msg`No device admin`,
  no_sim: msg`No SIM`,
  brings_nothing: msg`Online, but uploads nothing`,
}
