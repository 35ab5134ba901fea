/** What may be done with a payload and its comments, and why not. */
import {
  type CommentDuration,
  isDataless,
  type Payload,
  type PayloadMedia,
  type PayloadType,
} from '@custodia/contract'

/** Why the data of a payload is unavailable to every reader. */
export type DataObstacle = 'not_recorded' | 'on_its_way' | 'failed' | 'quarantined' | 'deleted' | 'destroyed'

/** Why a reader cannot play it in the browser. */
export type Obstacle = DataObstacle | 'type_not_authorised' | 'being_prepared' | 'unplayable'

const BY_STATE = {
  NotRecorded: 'not_recorded',
  Recorded: 'on_its_way',
  Uploaded: 'on_its_way',
  Scanning: 'on_its_way',
  Failed: 'failed',
  Quarantined: 'quarantined',
  Deleted: 'deleted',
  Destroyed: 'destroyed',
  Processed: undefined,
  Transferred: undefined,
} as const satisfies Record<Payload['payload_state'], DataObstacle | undefined>

type Result = Pick<Payload, 'payload_type' | 'payload_state'>

/** Why the data is unavailable to every reader: not verified, not scanned, deleted, or a type without data. */
export const dataObstacle = ({ payload_type, payload_state }: Result): DataObstacle | undefined =>
  BY_STATE[payload_state] ?? (isDataless(payload_type) ? 'not_recorded' : undefined)

/** Whether there is data that a person may have. */
export const hasData = (payload: Result): boolean => dataObstacle(payload) === undefined

/**
 * What keeps the reader from the data, in the order in which `dataStatus` refuses (reading-the-spec: payload states):
 * first the right to the type, then whether there is data, then whether the browser can play it.
 * @param types payload types that the reader's roles include
 */
export function obstacleTo(
  payload: Result & Pick<Payload, 'media'>,
  types: readonly PayloadType[],
): Obstacle | undefined {
  if (!types.includes(payload.payload_type)) return 'type_not_authorised'
  return dataObstacle(payload) ?? (payload.media && unplayed(payload.media))
}

const unplayed = ({ is_playable, being_prepared }: PayloadMedia): Obstacle | undefined =>
  is_playable ? undefined : being_prepared ? 'being_prepared' : 'unplayable'

/** Whether the original can be saved: what the browser cannot play, or not yet, can still be downloaded. */
export const hasOriginal = (obstacle: Obstacle | undefined): boolean =>
  obstacle === undefined || obstacle === 'unplayable' || obstacle === 'being_prepared'

/** Whether a payload can be commented on: a comment could quote destroyed content. */
export const takesComments = ({ payload_state }: Pick<Payload, 'payload_state'>): boolean =>
  payload_state !== 'Destroyed'

/** Whether a part is within a recording of so many seconds; undefined: not playable. */
export const liesWithin = ({ start_time, duration }: CommentDuration, seconds: number | undefined): boolean =>
  seconds !== undefined && milliseconds(start_time) + milliseconds(duration) <= milliseconds(seconds)

const milliseconds = (seconds: number): number => Math.round(seconds * 1000)
