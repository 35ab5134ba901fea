/** A place in a list: the time it sorts by, then the payload_id. */
export type ListKey = readonly [time: number, payload_id: number]
