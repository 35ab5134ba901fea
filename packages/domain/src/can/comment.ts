/** What may be done with comments on a payload, and why not. */
import type { CommentDuration, Payload } from '@custodia/contract'

/** Whether a payload can be commented on: a comment could quote destroyed content. */
export const takesComments = ({ payload_state }: Pick<Payload, 'payload_state'>): boolean =>
  payload_state !== 'Destroyed'

/** Whether a part is within a recording of so many seconds; undefined: not playable. */
export const liesWithin = ({ start_time, duration }: CommentDuration, seconds: number | undefined): boolean =>
  seconds !== undefined && milliseconds(start_time) + milliseconds(duration) <= milliseconds(seconds)

const milliseconds = (seconds: number): number => Math.round(seconds * 1000)
