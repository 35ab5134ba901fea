import { PAYLOAD_META, type Payload, type PayloadMeta } from '@custodia/contract'

/** The opened metadata in its type's form; undefined while sealed, or when a migrated payload carries another form. */
export function metaOf(payload: Pick<Payload, 'payload_type' | 'meta'>): PayloadMeta | undefined {
  return PAYLOAD_META[payload.payload_type].safeParse(payload.meta).data
}
