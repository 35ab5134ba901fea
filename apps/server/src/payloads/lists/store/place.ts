/** A place in a list: the sort time, then the payload_id. */
export type ListKey = readonly [time: number, payload_id: number]
