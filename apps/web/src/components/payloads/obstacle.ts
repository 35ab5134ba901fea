import { isDataless, type Payload, type PayloadMedia, type PayloadType } from '@custodia/contract'

/** Why the data of a payload cannot be played here. */
export type Obstacle =
  | 'not_recorded'
  | 'type_not_authorised'
  | 'on_its_way'
  | 'failed'
  | 'quarantined'
  | 'deleted'
  | 'destroyed'
  | 'being_prepared'
  | 'unplayable'

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
} as const satisfies Record<Payload['payload_state'], Obstacle | undefined>

/**
 * What stands between the reader and the data, in the order in which the server checks (reading-the-spec: payload
 * states): first the right to the type, then whether there is data, then whether the browser can play it.
 *
 * @param types payload types that the reader's roles include
 */
export function obstacleTo(
  payload: Pick<Payload, 'payload_type' | 'payload_state' | 'media'>,
  types: readonly PayloadType[],
): Obstacle | undefined {
  if (!types.includes(payload.payload_type)) return 'type_not_authorised'
  const byState = BY_STATE[payload.payload_state]
  if (byState !== undefined) return byState
  if (isDataless(payload.payload_type)) return 'not_recorded'
  return payload.media?.is_playable === false ? unplayed(payload.media) : undefined
}

const unplayed = ({ being_prepared }: PayloadMedia): Obstacle =>
  being_prepared ? 'being_prepared' : 'unplayable'

/** Whether the original can be saved: what the browser cannot play, or not yet, can still be downloaded. */
export const hasOriginal = (obstacle: Obstacle | undefined): boolean =>
  obstacle === undefined || obstacle === 'unplayable' || obstacle === 'being_prepared'
