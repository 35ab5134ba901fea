import type { DeviceProof, DeviceState, Silence, UserChangeName, WaitingReason } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

export const DEVICE_STATE_WORDS: Words<DeviceState> = {
  activated: msg({ context: 'device', message: 'Activated' }),
  pending: msg({ context: 'device', message: 'Pending' }),
  deactivated: msg({ context: 'device', message: 'Deactivated' }),
  blocked: msg({ context: 'device', message: 'Blocked' }),
}

/** Attestation results. */
export const DEVICE_PROOF_WORDS: Words<DeviceProof> = {
  none: msg({ context: 'device', message: 'Not proven' }),
  key: msg({ context: 'device', message: 'By its key' }),
  hardware: msg({ context: 'device', message: 'By hardware' }),
}

/** Why devices are pending. */
export const WAITING_WORDS: Words<WaitingReason> = {
  unconfirmed: msg`New device`,
  other_key: msg`Another key`,
  holder: msg`Another holder`,
  beyond_expected: msg`One device too many`,
}

export const SILENCE_WORDS: Words<Silence> = {
  silent: msg`Silent for a day`,
  long_silent: msg`Silent for three days`,
  silent_but_alive: msg`Online, no recordings`,
}

/** What was changed about several device users. */
export const USER_CHANGE_WORDS: Words<UserChangeName> = {
  move: msg`moved to another group`,
  add_services: msg`services added`,
  remove_services: msg`services removed`,
  offboard: msg({ context: 'change of people', message: 'offboarded' }),
  onboard: msg({ context: 'change of people', message: 'onboarded again' }),
}
