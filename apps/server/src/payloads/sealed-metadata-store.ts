import { metaKind, openMeta } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { STATE_CODES, typeOfCode } from '../payload-records/codes.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { type KeptDeviceDek, openDeviceDek } from '../ports/keys/device-dek.ts'
import { CiphertextRefused } from '../ports/keys/port.ts'
import { ORIGINAL } from './data-objects.ts'

/** The sealed metadata of a payload, with the wrapped forms of its key. */
export interface SealedMetadata extends KeptDeviceDek {
  payload_id: number
  client: string
  payload_reference: string
  type: number
  key_id: string
  /** Whether the public key that wraps the data key was issued to this client. */
  is_own_key: boolean
  /** The same data key wrapped for storage; null without data, or without usable data. */
  wrapped_dek: Buffer | null
  iv: string
  sealed_meta: Buffer
}

/** The sealed metadata of those payloads of the tenant whose metadata is valid. */
export function findSealedMetadata(q: Queryable, payload_ids: readonly number[]): Promise<SealedMetadata[]> {
  return q.rows<SealedMetadata>(FIND, [q.client_id, payload_ids])
}

const FIND = `
  select p.payload_id, c.client, p.payload_reference, p.type, e.key_id, k.key_id is not null as is_own_key, e.encrypted_dek, e.dek_key, o.wrapped_dek, e.iv,
    e.sealed_meta
  from payloads p join clients c using (client_id) join payload_envelopes e using (payload_id) join payload_documents d using (payload_id)
  left join client_keys k on k.key_id = e.key_id and k.client_id = p.client_id
  left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = '${ORIGINAL}'
  where p.client_id = $1 and p.payload_id = any($2) and p.state <> ${STATE_CODES.Destroyed}`

/**
 * Opens the metadata with the payload's own key, so that destroying the key destroys both. The result is valid for the
 * schema of its type. Throws CiphertextRefused, KeyUnknown or EnvelopeError on damage.
 */
export async function openSealedMetadata(
  { keys }: Pick<AppContext, 'keys'>,
  sealed: SealedMetadata,
): Promise<Record<string, unknown>> {
  const { client, payload_reference, type, iv } = sealed
  const dek = await unwrap(keys, sealed)
  try {
    const identity = { client, payload_reference, kind: metaKind(typeOfCode(type)) }
    const meta = sealed.sealed_meta.toString('base64')
    return openMeta(dek, identity, iv, meta) as Record<string, unknown>
  } finally {
    dek.fill(0)
  }
}

function unwrap(keys: AppContext['keys'], sealed: SealedMetadata): Promise<Buffer> {
  const { client, payload_reference, wrapped_dek } = sealed
  if (wrapped_dek) return keys.unwrap(wrapped_dek, dekContext(client, payload_reference))
  if (!sealed.is_own_key) throw new CiphertextRefused('the key is not of this client')
  return openDeviceDek(keys, sealed)
}
