import { PAYLOAD_META, type Payload, type PayloadMeta } from '@custodia/contract'

/** Decrypted metadata of the given type; undefined while sealed, or when a migrated payload has another shape. */
export function metaOf(payload: Pick<Payload, 'payload_type' | 'meta'>): PayloadMeta | undefined {
  return PAYLOAD_META[payload.payload_type].safeParse(payload.meta).data
}
