import type { PayloadSummary } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Implausible times of a payload, as texts. */
export function getTimeWarnings({
  time_warnings: warnings = [],
  listed_at,
}: Pick<PayloadSummary, 'time_warnings' | 'listed_at'>): MessageDescriptor[] {
  return [...(listed_at === undefined ? [] : [AHEAD]), ...warnings.map((warning) => WORDS[warning])]
}

const AHEAD = msg`The reported time is over a day after arrival. Lists use the arrival time.`
const WORDS = {
  timezone: msg`The time zone does not exist, or does not have this offset.`,
  local_time: msg`The local time is invalid, or more than a day off the recording time.`,
  payload_end_time: msg`The announced end differs. The sealed end is shown.`,
} as const satisfies Record<NonNullable<PayloadSummary['time_warnings']>[number], MessageDescriptor>
