import type { Tx } from '../ports/database/lease.ts'
import type { StoredDerivation } from './object-maker.ts'
import type { Subject } from './process-subject.ts'

/** The row of a stored object. */
export async function insertObject(
  tx: Tx,
  { client_id, payload_id }: Pick<Subject, 'client_id' | 'payload_id'>,
  object: StoredDerivation,
  now: number,
): Promise<void> {
  await tx.query(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      client_id,
      payload_id,
      object.kind,
      object.object_key,
      object.wrapped_dek,
      object.sealed_size,
      object.size,
      object.content_type,
      object.checksum,
      JSON.stringify(object.details),
      now,
    ],
    'process_object',
  )
}
