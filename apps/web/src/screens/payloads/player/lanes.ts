import type { PayloadMeta } from '@custodia/contract'

/** Height of the waveform in pixels; reserved while it loads. */
export const WAVE_HEIGHT = 96

/** A second party on the time axis, in seconds from the start. */
export interface Lane {
  party: { phone_number: string | null; contact_name?: string | null | undefined }
  direction: 'I' | 'O' | 'CC'
  /** Start of dialling or ringing. */
  from: number
  /** Answer; undefined for an unanswered call. */
  connected: number | undefined
  until: number
}

/** A pause of an interview: a position in the recording, and its real duration. */
export interface Pause {
  at: number
  duration: number
}

/** One lane per second party of a call, clipped to `length` (of the recording, in seconds). */
export function partyLanes(meta: PayloadMeta | undefined, length: number): Lane[] {
  if (meta === undefined || !('second_parties' in meta)) return []
  const within = (seconds: number) => Math.min(length, Math.max(0, seconds))
  return meta.second_parties.map(({ phone_number, contact_name, direction, ...times }) => {
    const start = times.start_time - meta.payload_time
    const connected =
      typeof times.connection_time === 'number' ? times.connection_time - meta.payload_time : undefined
    return {
      party: { phone_number, contact_name },
      direction,
      from: within(start),
      connected: connected === undefined ? undefined : within(connected),
      // A party's duration counts from the answer, as in the device's call log.
      until: within((connected ?? start) + times.duration),
    }
  })
}

/** Minimum distance between gap labels, as a share of the recording's length. */
const LABEL_SHARE = 0.08

/** Pauses in order, each with whether its label fits. */
export function pauseGaps(pauses: readonly Pause[], length: number): (Pause & { hasRoom: boolean })[] {
  let last = Number.NEGATIVE_INFINITY
  return pauses.map((pause) => {
    const hasRoom = length > 0 && pause.at - last >= length * LABEL_SHARE
    if (hasRoom) last = pause.at
    return { ...pause, hasRoom }
  })
}

/** Recorded, paused and elapsed time of an interview, in seconds as the device reports. */
export function interviewTimes(meta: PayloadMeta | undefined) {
  if (meta === undefined || !('interview_pause_times' in meta)) return undefined
  const paused = meta.interview_pause_times.reduce((sum, { duration }) => sum + duration, 0)
  const elapsed = Math.max(0, meta.payload_end_time - meta.payload_time)
  return { recorded: meta.payload_duration, paused, elapsed, pauses: meta.interview_pause_times.length }
}

/** Positions of pauses; earlier pauses shift later ones. */
export function interviewPauses(meta: PayloadMeta | undefined, length: number): Pause[] {
  if (meta === undefined || !('interview_pause_times' in meta)) return []
  let paused = 0
  return meta.interview_pause_times
    .toSorted((a, b) => a.start_time - b.start_time)
    .map(({ start_time, duration }) => {
      const at = Math.min(length, Math.max(0, start_time - meta.payload_time - paused))
      paused += duration
      return { at, duration }
    })
}
