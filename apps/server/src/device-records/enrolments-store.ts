import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  ENROLMENT_DEVICES_LISTED,
  type Enrolment,
  type EnrolmentDevice,
  type EnrolmentState,
  type EnrolmentText,
} from '@custodia/contract'
import { ulid } from 'ulid'
import { clientColumn } from '../clients/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A device that used an enrolment, with its current group. */
type EnrolmentDeviceRecord = EnrolmentDevice & { group_id: number }

/** A stored enrolment with internal fields. */
export interface EnrolmentRecord extends Omit<Enrolment, 'devices'> {
  enrolment_id: number
  /** Group of the user; null for an account enrolment. */
  group_id: number | null
  devices: EnrolmentDeviceRecord[]
}

export interface EnrolmentFilter {
  /** Ids of visible groups; account enrolments belong to none. */
  reach: readonly number[] | 'all'
  device_user_reference?: string | undefined
  states?: readonly EnrolmentState[] | undefined
  /** Epoch seconds. */
  now: number
}

/** SQL: the state of enrolment `e` at `$2` (epoch seconds). */
const STATE = `case when e.revoked_at is not null then 'revoked' when e.uses >= e.max_uses then 'used'
  when e.expires_at <= $2 then 'expired' when e.opened_at is not null then 'opened' else 'open' end`
const ENROLLED = `coalesce((select jsonb_agg(p) from (
    select case when d.deleted_at is null then d.device_reference end as device_reference, d.model, h.device_user_reference, n.used_at, d.waiting_since is not null as is_waiting, d.group_id
    from enrolment_uses n join devices d using (client_id, device_id) left join device_users h using (client_id, device_user_id)
    where n.client_id = e.client_id and n.enrolment_id = e.enrolment_id order by n.used_at desc, n.device_id desc limit ${ENROLMENT_DEVICES_LISTED}) p), '[]')`
const COLUMNS = `${clientColumn('e.client_id')}, e.enrolment_id, u.group_id, e.enrolment_reference, ${STATE} as enrolment_state,
  u.device_user_reference, g.group_reference as "group", u.first_name, u.surname, e.description, e.sent_to, e.opened_at, e.max_uses, e.matches_email, e.uses, ${ENROLLED} as devices,
  e.created_at, e.created_by, e.expires_at, e.revoked_at, e.revoked_by,
  coalesce(e.revoked_by, case when e.uses > 0 then 'device' else e.created_by end) as updated_by`
const FROM = `enrolments e left join device_users u using (client_id, device_user_id)
  left join groups g on g.client_id = u.client_id and g.group_id = u.group_id`
const FILTER = `e.client_id = $1 and ($3::int[] is null or u.group_id = any($3)) and ($4::text is null or u.device_user_reference = $4)
  and ($5::text[] is null or ${STATE} = any($5))`

const getValues = (q: Queryable, { now, reach, device_user_reference, states }: EnrolmentFilter) => [
  q.client_id,
  now,
  reach === 'all' ? null : reach,
  device_user_reference ?? null,
  states ?? null,
]

/** Enrolments before a cursor, newest first. */
export function listEnrolments(
  q: Queryable,
  filter: EnrolmentFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<EnrolmentRecord[]> {
  return q.rows<EnrolmentRecord>(
    `select ${COLUMNS} from ${FROM} where ${FILTER} and ($6::int is null or e.enrolment_id < $6)
     order by e.enrolment_id desc limit $7`,
    [...getValues(q, filter), before ?? null, limit],
  )
}

export function countEnrolments(q: Queryable, filter: EnrolmentFilter): Promise<number> {
  return q.count(`select count(*)::int as total from ${FROM} where ${FILTER}`, getValues(q, filter))
}

/** Finds an enrolment with its state at `now`. */
export function findEnrolment(
  q: Queryable,
  enrolment_reference: string,
  now: number,
): Promise<EnrolmentRecord | undefined> {
  return q.row<EnrolmentRecord>(
    `select ${COLUMNS} from ${FROM} where e.client_id = $1 and e.enrolment_reference = $3`,
    [q.client_id, now, enrolment_reference],
  )
}

export interface NewEnrolmentRow {
  enrolment_reference: string
  /** Null for an account enrolment. */
  device_user_id: number | null
  secret_hash: Buffer
  description: string | null
  /** The address that it is mailed to; absent: it is handed over otherwise. */
  sent_to?: string
  max_uses: number | null
  /** Whether the device belongs to the user whose email it claims. */
  matches_email: boolean
  created_at: number
  created_by: string
  expires_at: number
}

export async function insertEnrolment(tx: Tx, row: NewEnrolmentRow): Promise<void> {
  await tx.query(
    `insert into enrolments (client_id, enrolment_reference, device_user_id, secret_hash, description, max_uses, matches_email, created_at, created_by,
       expires_at, sent_to)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      tx.client_id,
      row.enrolment_reference,
      row.device_user_id,
      row.secret_hash,
      row.description,
      row.max_uses,
      row.matches_email,
      row.created_at,
      row.created_by,
      row.expires_at,
      row.sent_to ?? null,
    ],
  )
}

/** Adds an enrolment. Resolves to its reference and its text with the secret; only the hash is stored. */
export async function issueEnrolment(
  tx: Tx,
  { server_url, client }: { server_url: string; client: string },
  row: Omit<NewEnrolmentRow, 'enrolment_reference' | 'secret_hash'>,
): Promise<{ enrolment_reference: string; text: string }> {
  const enrolment_reference = ulid(row.created_at * 1000)
  const { secret, secret_hash } = newSecret()
  await insertEnrolment(tx, { ...row, enrolment_reference, secret_hash })
  const text: EnrolmentText = {
    server_url,
    account_reference: client,
    enrolment: `${enrolment_reference}.${secret}`,
  }
  return { enrolment_reference, text: JSON.stringify(text) }
}

type ChangeStamp = { updated_at: number; updated_by: string }

/** SQL: whether a device can use enrolment `e` at `$2` (epoch seconds). */
const IS_USABLE = `${STATE} in ('open', 'opened')`

/** Revokes an open enrolment; others stay unchanged. */
export async function revokeEnrolment(
  tx: Tx,
  enrolment_reference: string,
  { updated_at, updated_by }: ChangeStamp,
): Promise<void> {
  await tx.query(
    `update enrolments e set revoked_at = $2, revoked_by = $3 where client_id = $1 and enrolment_reference = $4 and ${IS_USABLE}`,
    [tx.client_id, updated_at, updated_by, enrolment_reference],
  )
}

/** Revokes a user's open enrolments on offboarding, so that no device can still use them. */
export async function revokeEnrolmentsOf(
  tx: Tx,
  device_user_ids: readonly number[],
  { updated_at, updated_by }: ChangeStamp,
): Promise<void> {
  if (device_user_ids.length === 0) return
  await tx.query(
    `update enrolments e set revoked_at = $2, revoked_by = $3 where client_id = $1 and device_user_id = any($4) and ${IS_USABLE}`,
    [tx.client_id, updated_at, updated_by, device_user_ids],
  )
}

export interface PresentedEnrolment {
  enrolment_id: number
  enrolment_reference: string
  state: EnrolmentState
  /** User of the enrolment; null for the account. */
  device_user_id: number | null
  device_user_reference: string | null
  group_id: number | null
  expected_device_count: number | null
  is_active: boolean | null
  matches_email: boolean
  /** Whether this device used it before. */
  is_repeat: boolean
}

/** Reference and secret that a device or a link presents. */
export interface PresentedSecret {
  enrolment_reference: string
  secret: Buffer
}

/** Splits an enrolment into its parts. */
export function getSecret(enrolment: string): PresentedSecret {
  const [enrolment_reference = '', secret = ''] = enrolment.split('.')
  return { enrolment_reference, secret: Buffer.from(secret, 'base64url') }
}

/** Notes that the link of a usable enrolment was opened. Resolves to its device user; undefined without one, or later. */
export function noteOpened(
  tx: Tx,
  { enrolment_reference, secret }: PresentedSecret,
  now: number,
): Promise<{ device_user_reference: string; group_reference: string; group_id: number } | undefined> {
  return tx.row<{
    device_user_reference: string
    group_reference: string
    group_id: number
  }>(
    `update enrolments e set opened_at = $2 from device_users u join groups g using (client_id, group_id)
     where e.client_id = $1 and e.enrolment_reference = $3 and e.secret_hash = $4 and e.opened_at is null and ${IS_USABLE}
       and u.client_id = e.client_id and u.device_user_id = e.device_user_id
     returning u.device_user_reference, g.group_reference, u.group_id`,
    [tx.client_id, now, enrolment_reference, getHash(secret)],
  )
}

/** SQL: whether the device with key `$3` used enrolment `e` before. */
const IS_REPEAT = `exists (select from enrolment_uses n join devices d using (client_id, device_id)
  where n.client_id = e.client_id and n.enrolment_id = e.enrolment_id and d.device_key = $3)`

/**
 * Locks and returns the enrolment with this secret; undefined without one. A repeat takes no lock, because thousands of
 * devices may share a rollout enrolment.
 */
export async function lockEnrolment(
  tx: Tx,
  { enrolment_reference, secret }: PresentedSecret,
  device_key: string,
  now: number,
): Promise<PresentedEnrolment | undefined> {
  const kept = await tx.row<{ secret_hash: Buffer; is_repeat: boolean }>(
    `select e.secret_hash, ${IS_REPEAT} as is_repeat from enrolments e where e.client_id = $1 and e.enrolment_reference = $2`,
    [tx.client_id, enrolment_reference, device_key],
  )
  if (!kept || !isSecret(secret, kept.secret_hash)) return undefined
  // Reads again after the lock: the statement that waited still sees the former state.
  if (!kept.is_repeat)
    await tx.query('select from enrolments where client_id = $1 and enrolment_reference = $2 for update', [
      tx.client_id,
      enrolment_reference,
    ])
  return tx.row<PresentedEnrolment>(
    `select e.enrolment_id, e.enrolment_reference, ${STATE} as state, e.device_user_id, e.matches_email,
       u.device_user_reference, u.group_id, u.expected_device_count, u.is_active and u.deleted_at is null as is_active,
       ${IS_REPEAT} as is_repeat
     from enrolments e left join device_users u using (client_id, device_user_id)
     where e.client_id = $1 and e.enrolment_reference = $4`,
    [tx.client_id, now, device_key, enrolment_reference],
  )
}

/** Stores that a device used an enrolment. Idempotent. */
export async function noteUse(tx: Tx, enrolment_id: number, device_id: number, now: number): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into enrolment_uses (client_id, enrolment_id, device_id, used_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [tx.client_id, enrolment_id, device_id, now],
  )
  if (rowCount === 0) return
  await tx.query('update enrolments set uses = uses + 1 where client_id = $1 and enrolment_id = $2', [
    tx.client_id,
    enrolment_id,
  ])
}

const SECRET_BYTES = 32

/** A secret has 256 random bits, so a plain hash suffices. */
const getHash = (secret: Buffer): Buffer => hash('sha256', secret, 'buffer')

/** A new secret and its stored hash. */
export function newSecret(): { secret: string; secret_hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES)
  return { secret: secret.toString('base64url'), secret_hash: getHash(secret) }
}

/** Compares a secret with its hash in constant time. */
export const isSecret = (secret: Buffer, secret_hash: Buffer): boolean =>
  timingSafeEqual(getHash(secret), secret_hash)
