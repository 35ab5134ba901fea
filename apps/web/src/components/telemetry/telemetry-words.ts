import { type SIM_STATES, TELEMETRY_CONCERNS, type TelemetryConcern } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { type Words, wordOptions } from '../words/spec-word.tsx'

/** Conditions of a report that need attention. */
const TELEMETRY_CONCERN_WORDS: Words<TelemetryConcern> = {
  low_battery: msg`Battery low`,
  low_storage: msg`Storage almost full`,
  waiting_payloads: msg`Recordings wait on the phone`,
  not_whitelisted: msg`May be put to sleep by the system`,
  no_device_admin: msg`Not an administrator of the device`,
  roaming: msg`Roaming`,
  no_calls: msg`Calls do not record`,
  no_interviews: msg`Interviews do not record`,
  no_gps: msg`GPS does not record`,
  no_photos: msg`Photos do not record`,
  no_mms: msg`MMS does not record`,
  no_rcs: msg`RCS does not record`,
  no_sms: msg`SMS does not record`,
  no_videos: msg`Videos do not record`,
}

/** States of a SIM slot. */
export const SIM_STATE_WORDS: Words<(typeof SIM_STATES)[number]> = {
  ready: msg({ context: 'SIM', message: 'Ready' }),
  absent: msg({ context: 'SIM', message: 'No card' }),
  locked: msg({ context: 'SIM', message: 'Locked' }),
  unknown: msg({ context: 'SIM', message: 'Not known' }),
}

/** Filters of every telemetry list. */
export const TELEMETRY_FILTERS = [
  {
    name: 'concerns',
    kind: 'choice',
    label: msg`Concern`,
    useOptions: wordOptions(TELEMETRY_CONCERN_WORDS, TELEMETRY_CONCERNS),
  },
  { name: 'os_version', kind: 'text', label: msg`OS version` },
  { name: 'app_version', kind: 'text', label: msg`App version` },
  { name: 'model', kind: 'text', label: msg`Model` },
] as const

/** Views of every telemetry list. */
export const TELEMETRY_VIEWS = [
  { name: 'waiting', label: msg`Recordings wait`, search: { concerns: ['waiting_payloads'] } },
  { name: 'power', label: msg`Little power or room`, search: { concerns: ['low_battery', 'low_storage'] } },
] as const
