import { PROPOSAL_SECONDS } from '@custodia/domain'
import { CLOCK, KEEPS } from '../held-records/store.ts'
import { STATE_CODES } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A client as a deletion finds it, locked: no payload of it begins until the transaction ends. */
export interface DeletableClient {
  client: string
  client_name: string
  created_at: number
  suspended_at: number | null
  deletion_proposed_at: number | null
  deletion_proposed_by: string | null
  deleted_at: number | null
}

/** The tenant's own client, locked. */
export function lockDeletable(tx: Tx): Promise<DeletableClient | undefined> {
  return tx.row<DeletableClient>(
    `select client, client_name, created_at, suspended_at, deletion_proposed_at, deletion_proposed_by, deleted_at
     from clients where client_id = $1 for update`,
    [tx.client_id],
  )
}

/** Counts of a client's remaining data, and of destroyed payloads. */
export interface RemainingData {
  payloads: number
  /** Destroyed payloads of which keys or objects remain. */
  unfinished_destructions: number
  legal_holds: number
  legal_matters: number
  proposals: number
  destroyed_payloads: number
}

export async function countKept(q: Queryable): Promise<RemainingData> {
  const { rows } = await q.query<RemainingData>(
    `select
      (select count(*)::int from payloads where client_id = $1 and state <> $2) as payloads,
      (select count(*)::int from destruction_ledger l left join destruction_ends e using (client_id, payload_id)
       where l.client_id = $1 and e.payload_id is null) as unfinished_destructions,
      (select count(*)::int from legal_holds h where h.client_id = $1 and ${KEEPS}) as legal_holds,
      (select count(*)::int from legal_matters where client_id = $1 and closed_at is null) as legal_matters,
      (select count(*)::int from proposals where client_id = $1 and state = 'waiting'
         and proposed_at + ${PROPOSAL_SECONDS} > ${CLOCK}) as proposals,
      (select count(*)::int from payloads where client_id = $1 and state = $2) as destroyed_payloads`,
    [q.client_id, STATE_CODES.Destroyed],
  )
  if (!rows[0]) throw new Error('nothing was counted')
  return rows[0]
}

/** Notes who proposed to delete the tenant's client; null: the proposal is withdrawn. */
export async function writeDeletionProposal(
  tx: Tx,
  proposal: { at: number; by: string } | null,
): Promise<void> {
  await tx.query(
    'update clients set deletion_proposed_at = $2, deletion_proposed_by = $3 where client_id = $1',
    [tx.client_id, proposal?.at ?? null, proposal?.by ?? null],
  )
}

/** Deletes the tenant's client: its devices are signed out, and `account_key` takes the place of the key that they share. */
export async function writeDeletion(
  tx: Tx,
  deletion: { at: number; by: string; certificate: string; account_key: Buffer },
): Promise<void> {
  await tx.query('delete from device_tokens where client_id = $1', [tx.client_id])
  await tx.query(
    `update clients set deleted_at = $2, deleted_by = $3, deletion_certificate = $4, account_key = $5, oidc_client_secret = null
     where client_id = $1`,
    [tx.client_id, deletion.at, deletion.by, deletion.certificate, deletion.account_key],
  )
}

/** Key pairs of the devices of the tenant's client, the oldest first. */
export function listDeviceKeys(q: Queryable): Promise<string[]> {
  return q.column<string>('select key_id from client_keys where client_id = $1 order by created_at, key_id', [
    q.client_id,
  ])
}

/** As `listDeviceKeys`, of a deleted client only: others need their keys. */
export async function findKeysOfDeleted(q: Queryable): Promise<string[]> {
  return (await findDeletionCertificate(q)) === undefined ? [] : listDeviceKeys(q)
}

/** The certificate of the deletion of the tenant's client; undefined: it is not deleted. */
export async function findDeletionCertificate(q: Queryable): Promise<string | undefined> {
  return (
    (await q.value<string | null>('select deletion_certificate from clients where client_id = $1', [
      q.client_id,
    ])) ?? undefined
  )
}
