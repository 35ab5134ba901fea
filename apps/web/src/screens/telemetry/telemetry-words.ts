import { type SIM_STATES, TELEMETRY_CONCERNS, type TelemetryConcern } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { type Words, wordFilter } from '../../components/words/spec-word.tsx'

/** Conditions of a report that need attention. */
const TELEMETRY_CONCERN_WORDS: Words<TelemetryConcern> = {
  low_battery: msg`Battery low`,
  low_storage: msg`Storage almost full`,
  waiting_payloads: msg`Recordings pending on the phone`,
  not_whitelisted: msg`The system may suspend the app`,
  no_device_admin: msg`Not a device administrator`,
  roaming: msg`Roaming`,
  no_calls: msg`Calls are not recorded`,
  no_interviews: msg`Interviews are not recorded`,
  no_gps: msg`Positions are not recorded`,
  no_photos: msg`Photos are not recorded`,
  no_mms: msg`MMS is not recorded`,
  no_rcs: msg`RCS is not recorded`,
  no_sms: msg`SMS is not recorded`,
  no_videos: msg`Videos are not recorded`,
}

export const SIM_STATE_WORDS: Words<(typeof SIM_STATES)[number]> = {
  ready: msg({ context: 'SIM', message: 'Ready' }),
  absent: msg({ context: 'SIM', message: 'No card' }),
  locked: msg({ context: 'SIM', message: 'Locked' }),
  unknown: msg({ context: 'SIM', message: 'Not known' }),
}

/** Filters of every telemetry list. */
export const TELEMETRY_FILTERS = [
  wordFilter('concerns', msg`Issue`, TELEMETRY_CONCERN_WORDS, { values: TELEMETRY_CONCERNS }),
  { name: 'os_version', kind: 'text', label: msg`OS version` },
  { name: 'app_version', kind: 'text', label: msg`App version` },
  { name: 'model', kind: 'text', label: msg`Model` },
] as const

/** Views of every telemetry list. */
export const TELEMETRY_VIEWS = [
  { name: 'waiting', label: msg`Recordings pending`, search: { concerns: ['waiting_payloads'] } },
  { name: 'power', label: msg`Battery or storage low`, search: { concerns: ['low_battery', 'low_storage'] } },
] as const
