import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { KeptPhoneDek } from '../../ports/keys/phone-dek.ts'

/**
 * Completes the envelope of a recording without one; the database permits it only for the legacy platform.
 */
export async function fillEnvelope(
  tx: Tx,
  payload_id: number,
  checksum: string,
  size: number,
): Promise<void> {
  await tx.query('select fill_legacy_envelope($1, $2, $3, $4)', [tx.client_id, payload_id, checksum, size])
}

/** The data key of a payload in stored form. */
export async function findEnvelope(
  q: Queryable,
  payload_id: number,
): Promise<(KeptPhoneDek & { key_id: string; payload_reference: string }) | undefined> {
  const { rows } = await q.query<KeptPhoneDek & { key_id: string; payload_reference: string }>(
    `select e.key_id, e.encrypted_dek, e.dek_key, p.payload_reference from payload_envelopes e join payloads p using (client_id, payload_id)
     where e.client_id = $1 and e.payload_id = $2`,
    [q.client_id, payload_id],
    'legacy_envelope',
  )
  return rows[0]
}
