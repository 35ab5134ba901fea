import type { PayloadMeta } from '@custodia/contract'

/** A second party along the recording, in seconds from its start. */
export interface Lane {
  party: { phone_number: string | null; contact_name?: string | null | undefined }
  direction: 'I' | 'O' | 'CC'
  /** Dialled or rang. */
  from: number
  /** Answered; undefined when nobody did. */
  connected: number | undefined
  until: number
}

/** A pause of an interview. It takes no time in the recording: a place and how long the fixture went on without it. */
export interface Pause {
  at: number
  /** Seconds. */
  duration: number
}

/** One lane per second party of a call. `length` is the recording's, in seconds; nothing reaches beyond it. */
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
      // A party's duration counts from the answer, as in a phone's own call log.
      until: within((connected ?? start) + times.duration),
    }
  })
}

/** Share of the recording's length at which labels of gaps may follow each other without lying over one another. */
const LABEL_SHARE = 0.08

/** The pauses in order, each with whether there is room for its length beside its gap. A thousand are gaps without words. */
export function pauseGaps(pauses: readonly Pause[], length: number): (Pause & { hasRoom: boolean })[] {
  let last = Number.NEGATIVE_INFINITY
  return pauses.map((pause) => {
    const hasRoom = length > 0 && pause.at - last >= length * LABEL_SHARE
    if (hasRoom) last = pause.at
    return { ...pause, hasRoom }
  })
}

/** How long an interview was recorded, how long it was paused, and how long it took, all in seconds and as the phone says. */
export function interviewTimes(meta: PayloadMeta | undefined) {
  if (meta === undefined || !('interview_pause_times' in meta)) return undefined
  const paused = meta.interview_pause_times.reduce((sum, { duration }) => sum + duration, 0)
  const elapsed = Math.max(0, meta.payload_end_time - meta.payload_time)
  return { recorded: meta.payload_duration, paused, elapsed, pauses: meta.interview_pause_times.length }
}

/** Where an interview was paused. The pauses before a moment shorten its way into the recording. */
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
