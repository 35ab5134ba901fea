import { DATA_ADDRESS_SECONDS, type DataStatus } from '@custodia/contract'
import type { GlobalTx, Queryable, Tx } from '../../ports/database/lease.ts'
import type { BagInfo } from './bag.ts'
import { notePayloadAudit } from '../store.ts'

/** An issued address: its holder and its payload. */
export interface GivenAddress {
  address_id: string
  payload_id: number
  kind: string
  action: string
  portal_user: string
  /** Null for an app. */
  session_id: string | null
  /** The client app that may use it with its own token. */
  app_reference: string | null
  /** The approval of the support access. */
  support_reference: string | null
  /** The reason of the request, if given. */
  reason: string | null
  expires_at: number
  /** The members of an archive; the address of the first one stands for the archive. */
  archive?: readonly ArchiveMember[]
  /** The metadata of a BagIt archive. */
  bag?: BagInfo
}

/** One payload of a request for many: its refusal, or the address of its data. */
export interface ArchiveMember {
  payload_reference: string
  status: DataStatus
  address_id?: string
}

/** Stores addresses before they are issued. */
export async function insertAddresses(tx: Tx, addresses: readonly GivenAddress[]): Promise<void> {
  await tx.query(
    `insert into data_addresses (address_id, client_id, payload_id, kind, action, portal_user, session_id, app_reference,
       support_reference, reason, expires_at, archive, bag)
     select address_id, $1, payload_id, kind, action, portal_user, session_id, app_reference, support_reference, reason, expires_at, archive, bag
     from jsonb_populate_recordset(null::data_addresses, $2::jsonb)`,
    [tx.client_id, JSON.stringify(addresses)],
    'address_insert',
  )
}

/**
 * Stores the first use of an address from a network address, and the disclosure in the payload's audit. False
 * when it was stored before. `log_id` is the entry in the audit log.
 */
export async function noteFirstUse(
  tx: Tx,
  address: GivenAddress,
  use: { at: number; ip: string; log_id: string },
): Promise<boolean> {
  const used = await tx.query(
    `update data_addresses set first_used_at = coalesce(first_used_at, $2), used_from = used_from || $3::text
     where address_id = $1 and $3 <> all(used_from)`,
    [address.address_id, use.at, use.ip],
    'address_use',
  )
  if (used.rowCount === 0) return false
  const { portal_user, action } = address
  await notePayloadAudit(tx, [address.payload_id], {
    at: use.at,
    log_id: use.log_id,
    portal_user,
    action,
  })
  return true
}

/** The members of an archive address; undefined for other addresses. */
export async function findArchive(
  q: Queryable,
  address_id: string,
): Promise<{ archive: ArchiveMember[]; bag: BagInfo | null; client_name: string } | undefined> {
  const { rows } = await q.query<{ archive: ArchiveMember[]; bag: BagInfo | null; client_name: string }>(
    'select archive, bag, client_name from data_addresses join clients using (client_id) where client_id = $1 and address_id = $2 and archive is not null',
    [q.client_id, address_id],
  )
  return rows[0]
}

/** Deletes addresses that expired a day ago; their uses stay in the audit. For a sweep. */
export async function sweepAddresses(tx: GlobalTx, now: number): Promise<void> {
  await tx.query('delete from data_addresses where expires_at < $1', [now - 86_400 - DATA_ADDRESS_SECONDS])
}
