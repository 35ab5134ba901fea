import {
  DATA_ADDRESS_SECONDS,
  type DataStatus,
  type PayloadState,
  type PayloadType,
} from '@custodia/contract'
import type { SupportRequest } from '@custodia/domain'
import { stateOfCode, typeOfCode } from '../../payload-records/codes.ts'
import type { GlobalTx, Queryable, Tx } from '../../ports/database/lease.ts'
import type { StoredObject } from '../data-objects.ts'
import { notePayloadAudit } from '../store.ts'
import type { BagInfo } from './archive-files.ts'

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
  /** The export that the data leaves in. */
  export_id: string | null
  expires_at: number
  /** The members of an archive; the address of the first one stands for the archive. */
  archive?: readonly ArchiveMember[]
  /** The metadata of a BagIt archive. */
  bag?: BagInfo
}

/** One payload of a request for many: its refusal, or the addresses of its data. */
export interface ArchiveMember {
  payload_reference: string
  status: DataStatus
  address_ids: readonly string[]
}

/** Stores addresses before they are issued. */
export async function insertAddresses(tx: Tx, addresses: readonly GivenAddress[]): Promise<void> {
  await tx.query(
    `insert into data_addresses (address_id, client_id, payload_id, kind, action, portal_user, session_id, app_reference,
       support_reference, reason, export_id, expires_at, archive, bag)
     select address_id, $1, payload_id, kind, action, portal_user, session_id, app_reference, support_reference, reason, export_id, expires_at, archive, bag
     from jsonb_populate_recordset(null::data_addresses, $2::jsonb)`,
    [tx.client_id, JSON.stringify(addresses)],
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
  )
  if (used.rowCount === 0) return false
  const { portal_user, action, export_id: detail } = address
  await notePayloadAudit(tx, [address.payload_id], {
    at: use.at,
    log_id: use.log_id,
    portal_user,
    action,
    detail,
  })
  return true
}

/** The members of an archive address; undefined for other addresses. */
export function findArchive(
  q: Queryable,
  address_id: string,
): Promise<{ archive: ArchiveMember[]; bag: BagInfo | null; client_name: string } | undefined> {
  return q.row<{ archive: ArchiveMember[]; bag: BagInfo | null; client_name: string }>(
    'select archive, bag, client_name from data_addresses join clients using (client_id) where client_id = $1 and address_id = $2 and archive is not null',
    [q.client_id, address_id],
  )
}

/** Deletes addresses that expired a day ago; their uses stay in the audit. For a sweep. */
export async function sweepAddresses(tx: GlobalTx, now: number): Promise<void> {
  await tx.query('delete from data_addresses where expires_at < $1', [now - 86_400 - DATA_ADDRESS_SECONDS])
}

/** The session of the address's holder; in support mode one of the provider's client. */
interface SessionOfAddress {
  client_id: number
  user_reference: string
  user_group: string | null
  roles: string[]
  groups: string[] | null
  /** Legal matters to whose recordings the person is limited; null: not limited. */
  matters: string[] | null
  rotation: number
  rotated_at: number
  expires_at: number
  ended_at: number | null
}

/** The client app that holds the address. */
interface AppOfAddress {
  group: string | null
  group_id: number | null
  roles: string[]
  cidr_ranges: string[]
  updated_at: number
}

/** An issued address with its holder and its payload as they are now. */
export interface FoundAddress extends GivenAddress {
  client_id: number
  client: string
  /** Null: the client is active. */
  suspended_at: number | null
  /** Version of the client's permissions. */
  access_epoch: number
  /** Whether it was used before from the same network address. */
  is_used: boolean
  /** Null for an app. */
  session: SessionOfAddress | null
  /** Null for a person, and after the app was removed. */
  app: AppOfAddress | null
  /** Null outside support mode. */
  approval: (SupportRequest & { role: string }) | null
  /** Version of the permissions in the provider's own client; null outside support mode. */
  staff_epoch: number | null
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  /** Whether the legal matters to which the holder is limited hold the payload. */
  is_in_matters: boolean
  /** Absent when the object or its key is missing. */
  object:
    | Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size' | 'content_type'>
    | undefined
}

/**
 * An issued address used from `ip`, valid or not. One statement, because every Range request and every
 * running download repeats it.
 */
export async function findAddress(
  q: Queryable,
  address_id: string,
  ip: string,
): Promise<FoundAddress | undefined> {
  const row = await q.row<FoundRow>(FIND, [address_id, q.client_id, ip])
  if (!row) return undefined
  return {
    ...row,
    session: getSession(row),
    payload_type: typeOfCode(row.type),
    payload_state: stateOfCode(row.state),
    object: getObject(row),
  }
}

function getSession(row: FoundRow): FoundAddress['session'] {
  if (row.s_client_id === null) return null
  return {
    client_id: row.s_client_id,
    user_reference: row.s_user_reference,
    user_group: row.s_user_group,
    roles: row.s_roles,
    groups: row.s_groups,
    matters: row.s_matters,
    rotation: row.s_rotation,
    rotated_at: row.s_rotated_at,
    expires_at: row.s_expires_at,
    ended_at: row.s_ended_at,
  }
}

function getObject({
  kind,
  object_key,
  wrapped_dek,
  sealed_size,
  content_type,
}: FoundRow): FoundAddress['object'] {
  return object_key === null ? undefined : { kind, object_key, wrapped_dek, sealed_size, content_type }
}

/**
 * A row; columns of the session begin with `s_`, because one JSON value would slow down every Range request.
 */
type FoundRow = Omit<FoundAddress, 'session' | 'payload_type' | 'payload_state' | 'object'> & {
  s_client_id: number | null
  s_user_reference: string
  s_user_group: string | null
  s_roles: string[]
  s_groups: string[] | null
  s_matters: string[] | null
  s_rotation: number
  s_rotated_at: number
  s_expires_at: number
  s_ended_at: number | null
  type: number
  state: number
  object_key: string | null
  wrapped_dek: Buffer
  sealed_size: number
  content_type: string
}

const GROUP_OF_APP = `(select g.group_reference from groups g where g.client_id = app.client_id and g.group_id = app.group_id)`
const APP = `case when app.client_id is not null then jsonb_build_object('roles', app.roles, 'cidr_ranges', app.cidr_ranges,
    'updated_at', app.updated_at, 'group', ${GROUP_OF_APP}, 'group_id', app.group_id) end`

const APPROVAL = `case when r.client_id is not null then jsonb_build_object('role', r.role, 'approval_state', r.approval_state,
    'requested_by', r.requested_by, 'requested_expiry', r.requested_expiry, 'approval_expiry', r.approval_expiry) end`

const FIND = `
  select a.address_id, a.client_id, a.payload_id, a.kind, a.action, a.portal_user, a.session_id, a.app_reference,
    a.support_reference, a.reason, a.export_id, a.expires_at, $3 = any(a.used_from) as is_used, c.client, c.suspended_at, c.access_epoch,
    s.client_id as s_client_id, s.user_reference as s_user_reference, s.user_group as s_user_group, s.roles as s_roles,
    s.groups as s_groups, t.matters as s_matters, s.rotation as s_rotation, s.rotated_at as s_rotated_at, s.expires_at as s_expires_at, s.ended_at as s_ended_at,
    own.access_epoch as staff_epoch, ${APP} as app, ${APPROVAL} as approval,
    p.payload_reference, p.type, p.state, p.group_id,
    t.matters is not null and coalesce(p.device_user_id = any(users_of_matters($2, t.matters)), false) as is_in_matters, o.object_key, o.wrapped_dek, o.sealed_size, o.content_type
  from data_addresses a
  join clients c using (client_id)
  join payloads p using (client_id, payload_id)
  -- In support mode the session is one of the provider's client.
  left join portal_sessions s on s.session_id = a.session_id and (s.client_id = $2 or a.support_reference is not null)
  left join role_assignments t on t.client_id = s.client_id and t.user_reference = s.user_reference
  left join clients own on a.support_reference is not null and own.client_id = s.client_id and own.is_provider
  left join client_apps app on app.client_id = a.client_id and app.app_reference = a.app_reference
  left join support_access r on r.client_id = a.client_id and r.request_reference = a.support_reference
  left join payload_objects o
    on o.client_id = a.client_id and o.payload_id = a.payload_id and o.kind = a.kind and o.wrapped_dek is not null
  where a.address_id = $1 and a.client_id = $2`
