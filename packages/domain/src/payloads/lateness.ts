import { LATE_AFTER_SECONDS } from '@custodia/contract'

/**
 * Whether a payload is late: uploaded more than seven days of 86,400 s after the recording ended (spec section 9).
 * Both in epoch seconds. For one still waiting, pass the present time as `uploaded_at`.
 */
export function isLate({
  recorded_end,
  uploaded_at,
}: {
  recorded_end: number
  uploaded_at: number
}): boolean {
  return uploaded_at - recorded_end > LATE_AFTER_SECONDS
}

/** When the recording ended, epoch seconds: its end where the type has one, else its start. */
export function recordedEnd(meta: {
  payload_time: number
  payload_end_time?: number | null | undefined
}): number {
  return meta.payload_end_time ?? meta.payload_time
}
