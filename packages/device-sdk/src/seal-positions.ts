import type { GpsBatch, GpsMeta } from '@custodia/contract'
import { newDek, sealMeta, wrapDek } from '@custodia/envelope'
import type { AccountKey } from './store.ts'

/** Positions as they are handed over: each sealed by itself, all under one DEK that is not kept. */
export function sealPositions(positions: readonly GpsMeta[], key: AccountKey): GpsBatch {
  const dek = newDek()
  const points = positions.map((position) => {
    const { gps_reference, timestamp } = position
    return {
      gps_reference,
      timestamp,
      ...sealMeta(dek, { client: key.client, payload_reference: gps_reference }, position),
    }
  })
  const batch = { key_id: key.key_id, encrypted_dek: wrapDek(key.kek, dek), points }
  dek.fill(0)
  return batch
}
