import { type Payload, PAYLOAD_META, type PayloadMeta, type PayloadSummary } from '@custodia/contract'

/** Decrypted metadata of the given type; undefined while sealed, or when a migrated payload has another shape. */
export function getMeta(payload: Pick<Payload, 'payload_type' | 'meta'>): PayloadMeta | undefined {
  return PAYLOAD_META[payload.payload_type].safeParse(payload.meta).data
}

/** List time of a payload, in epoch seconds. */
export const listedAt = ({
  payload_time,
  listed_at,
}: Pick<PayloadSummary, 'payload_time' | 'listed_at'>): number => listed_at ?? payload_time
