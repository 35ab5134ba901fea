/** What may be done with comments on a payload, and why not. */
import type { CommentDuration, Payload } from '@custodia/contract'

/** Whether a payload can be commented on: what is destroyed leaves nothing behind that quotes it. */
export const takesComments = ({ payload_state }: Pick<Payload, 'payload_state'>): boolean =>
  payload_state !== 'Destroyed'

/** Whether a part lies within a recording of so many seconds of played time; undefined: nothing is played. */
export const liesWithin = ({ start_time, duration }: CommentDuration, seconds: number | undefined): boolean =>
  seconds !== undefined && milliseconds(start_time) + milliseconds(duration) <= milliseconds(seconds)

const milliseconds = (seconds: number): number => Math.round(seconds * 1000)
