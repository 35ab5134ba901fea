import { DATA_ADDRESS_SECONDS, type PayloadState, type PayloadType } from '@custodia/contract'
import { stateAt, type SupportRequest } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { stateOfCode, typeOfCode } from './codes.ts'
import type { StoredObject } from './data-objects.ts'

/** An address that was given out: to whom and for what. */
export interface GivenAddress {
  address_id: string
  payload_id: number
  kind: string
  action: string
  portal_user: string
  /** Of a person; null for an app. */
  session_id: string | null
  /** The client app that may use it, with its own token. */
  app_reference: string | null
  /** The approval under which it was given. */
  support_reference: string | null
  expires_at: number
}

/** Notes addresses before they are given out. */
export async function insertAddresses(
  tx: Tx,
  client_id: number,
  addresses: readonly GivenAddress[],
): Promise<void> {
  await tx.query(
    `insert into data_addresses (address_id, client_id, payload_id, kind, action, portal_user, session_id, app_reference,
       support_reference, expires_at)
     select address_id, $1, payload_id, kind, action, portal_user, session_id, app_reference, support_reference, expires_at
     from jsonb_populate_recordset(null::data_addresses, $2::jsonb)`,
    [client_id, JSON.stringify(addresses)],
    'address_insert',
  )
}

/** A given address with what it leads to, as it is now. */
export interface FoundAddress extends GivenAddress {
  client: string
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  is_used: boolean
  /** How far the cookie of its session has come; null for an app. */
  rotation: number | null
  rotated_at: number | null
  /** When the app that it belongs to was changed last; null for a person. */
  app_updated_at: number | null
  /** Absent when it is gone or its key is. */
  object:
    | Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size' | 'content_type'>
    | undefined
}

/**
 * A given address while whoever got it still may: the session lives, the app is there, the approval holds. One statement:
 * every Range of a player asks it, and every running download again and again.
 */
export async function findAddress(
  q: Queryable,
  client_id: number,
  address_id: string,
  now: number,
): Promise<FoundAddress | undefined> {
  const { rows } = await q.query<FoundRow>(FIND, [address_id, client_id, now], 'address_find')
  const [row] = rows
  if (!row) return undefined
  const { type, state, object_key, wrapped_dek, sealed_size, content_type, approval, ...rest } = row
  if (row.support_reference !== null && !(approval && stateAt(approval, now) === 'approved')) return undefined
  const object = object_key !== null && {
    kind: row.kind,
    object_key,
    wrapped_dek,
    sealed_size,
    content_type,
  }
  return {
    ...rest,
    payload_type: typeOfCode(type),
    payload_state: stateOfCode(state),
    object: object || undefined,
  }
}

type FoundRow = Omit<FoundAddress, 'payload_type' | 'payload_state' | 'object'> & {
  type: number
  state: number
  object_key: string | null
  wrapped_dek: Buffer
  sealed_size: number
  content_type: string
  approval: SupportRequest | null
}

const FIND = `
  select a.address_id, a.payload_id, a.kind, a.action, a.portal_user, a.session_id, a.app_reference, a.support_reference,
    a.expires_at, a.first_used_at is not null as is_used,
    c.client, p.payload_reference, p.type, p.state, s.rotation, s.rotated_at, app.updated_at as app_updated_at,
    case when r.client_id is not null then jsonb_build_object('approval_state', r.approval_state, 'requested_by', r.requested_by,
      'requested_expiry', r.requested_expiry, 'approval_expiry', r.approval_expiry) end as approval,
    o.object_key, o.wrapped_dek, o.sealed_size, o.content_type
  from data_addresses a
  join clients c using (client_id)
  join payloads p using (client_id, payload_id)
  -- In support mode the session is one of the provider's client.
  left join portal_sessions s on s.session_id = a.session_id and s.ended_at is null and s.expires_at > $3
    and (s.client_id = $2 or a.support_reference is not null)
  left join client_apps app on app.client_id = a.client_id and app.app_reference = a.app_reference
  left join support_access r on r.client_id = a.client_id and r.request_reference = a.support_reference
  left join payload_objects o
    on o.client_id = a.client_id and o.payload_id = a.payload_id and o.kind = a.kind and o.wrapped_dek is not null
  where a.address_id = $1 and a.client_id = $2
    and case when a.app_reference is null then s.session_id is not null else app.app_reference is not null end`

/** Notes the first use of an address and with it, in the payload's audit, that the data was handed out. Once per address. */
export async function noteFirstUse(
  tx: Tx,
  client_id: number,
  address: GivenAddress,
  now: number,
): Promise<void> {
  const used = await tx.query(
    'update data_addresses set first_used_at = $2 where address_id = $1 and first_used_at is null',
    [address.address_id, now],
    'address_use',
  )
  if (used.rowCount === 0) return
  await insertPayloadAudit(tx, client_id, [address.payload_id], {
    at: now,
    log_id: address.address_id,
    portal_user: address.portal_user,
    action: address.action,
  })
}

/** Notes in the audit of payloads what somebody did with them. */
export async function insertPayloadAudit(
  tx: Tx,
  client_id: number,
  payload_ids: readonly number[],
  entry: { at: number; log_id: string; portal_user: string; action: string },
): Promise<void> {
  await tx.query(
    `insert into payload_audit (client_id, payload_id, at, log_id, portal_user, action)
     select $1, id, $3, $4, $5, $6 from unnest($2::bigint[]) id`,
    [client_id, payload_ids, entry.at, entry.log_id, entry.portal_user, entry.action],
    'payload_audit_insert',
  )
}

/** Forgets addresses that ended a day ago; their uses stay in the audit. For a sweep. */
export async function sweepAddresses(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from data_addresses where expires_at < $1', [now - 86_400 - DATA_ADDRESS_SECONDS])
}
