import type { Tx } from '../../ports/database/lease.ts'
import type { StoredDerivation } from './object-maker.ts'

/** The rows of stored objects of one client. */
export async function insertObjects(
  tx: Tx,
  objects: readonly (StoredDerivation & { payload_id: number })[],
  now: number,
): Promise<void> {
  if (objects.length === 0) return
  const rows = objects.map(({ wrapped_dek, ...object }) => ({
    ...object,
    wrapped_dek: wrapped_dek.toString('hex'),
  }))
  await tx.query(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details, created_at)
     select $1, payload_id, kind, object_key, decode(wrapped_dek, 'hex'), sealed_size, size, content_type, checksum, details, $3
     from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, kind text, object_key text, wrapped_dek text, sealed_size bigint,
       size bigint, content_type text, checksum text, details jsonb)`,
    [tx.client_id, JSON.stringify(rows), now],
    'process_objects',
  )
}
