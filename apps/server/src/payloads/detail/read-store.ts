import type {
  AccessReport,
  FailureCode,
  Payload,
  PayloadAudit,
  PayloadMedia,
  Receipt,
} from '@custodia/contract'
import { distanceBetween } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { PERSON_NAME, PORTAL_USER_NAMES } from '../../device-records/names-store.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { EXIF_HEAD, readExif } from '../../ports/media/index.ts'
import { openObject, type StoredObject } from '../data-objects.ts'
import { findReviewable } from '../plays/store.ts'
import { WRITTEN_OFF } from '../store.ts'

/** A payload with all its data outside the object store, in codes as the tables have them. */
export interface PayloadRow {
  payload_id: number
  payload_reference: string
  type: number
  state: number
  payload_time: number
  listed_at: number | null
  payload_end_time: number | null
  group_id: number
  group: string
  device_reference: string
  device_model: string | null
  device_user_reference: string | null
  person_name: string | null
  is_late: boolean
  is_legacy: boolean
  legacy_payload_reference: string | null
  legacy_processed_time: number | null
  announced_at: number
  uploaded_at: number | null
  processed_at: number | null
  updated_at: number
  updated_by: string | null
  state_before_deletion: number | null
  restored_at: number | null
  written_off_at: number | null
  written_off_by: string | null
  failure: FailureCode | null
  key_id: string | null
  encrypted_dek: Buffer | null
  dek_key: Buffer | null
  iv: string | null
  checksum: string | null
  device_ip: string | null
  list_doc: string | null
  all_numbers: string | null
  second_party_numbers: string | null
}

/** One payload of the tenant by its reference. */
export function findPayload(q: Queryable, payload_reference: string): Promise<PayloadRow | undefined> {
  return q.row<PayloadRow>(
    `select p.payload_id, p.payload_reference, p.type, p.state, coalesce(p.claimed_time, p.payload_time) as payload_time,
       case when p.claimed_time is not null then p.payload_time end as listed_at, p.payload_end_time, p.group_id,
       g.group_reference as "group", v.device_reference, v.model as device_model, u.device_user_reference, ${PERSON_NAME('u')} as person_name, p.is_late, p.is_legacy, p.announced_at,
       p.uploaded_at, p.processed_at, p.updated_at, p.updated_by, p.state_before_deletion, p.restored_at, p.failure, a.at as written_off_at, a.by as written_off_by,
       e.key_id, e.encrypted_dek, e.dek_key, e.iv, encode(e.checksum, 'hex') as checksum, host(e.device_ip) as device_ip,
       o.list_doc, o.all_numbers, o.second_party_numbers, l.legacy_payload_reference, l.legacy_processed_time
     from payloads p
     join groups g on g.group_id = p.group_id
     join devices v on v.device_id = p.device_id
     left join device_users u on u.device_user_id = p.device_user_id
     left join payload_envelopes e on e.payload_id = p.payload_id
     left join payload_documents o on o.payload_id = p.payload_id
     left join legacy_payloads l on l.client_id = p.client_id and l.payload_id = p.payload_id and p.is_legacy
     left join lateral (select a.at, a.by from payload_write_offs a where ${WRITTEN_OFF} order by a.at limit 1) a on true
     where p.client_id = $1 and p.payload_reference = $2`,
    [q.client_id, payload_reference],
  )
}

/** A duplicate message, or the first one. */
interface Relative {
  payload_reference: string
  group_id: number
  type: number
  is_first: boolean
}

/** Most duplicates in a response. */
const COPIES = 100

/** The first payload of a duplicate, or the newest hundred duplicates of a first one. */
export function findRelatives(q: Queryable, payload_id: number): Promise<Relative[]> {
  return q.rows<Relative>(
    `(select p.payload_reference, p.group_id, p.type, true as is_first from payload_copies c join payloads p on p.payload_id = c.first_payload_id
      where c.client_id = $1 and c.payload_id = $2)
     union all
     (select p.payload_reference, p.group_id, p.type, false from payload_copies c join payloads p on p.payload_id = c.payload_id
      where c.client_id = $1 and c.first_payload_id = $2 order by c.payload_id desc limit ${COPIES})`,
    [q.client_id, payload_id],
  )
}

/** The last mark of a payload, and who has heard it as seen by `person`. */
export async function findReview(
  q: Queryable,
  payload_id: number,
  person: string,
): Promise<Omit<NonNullable<Payload['review']>, 'own'>> {
  const { rows } = await q.query<Omit<NonNullable<Payload['review']>, 'own'>>(
    `select m.mark, m.marked_by, case when exists (select from payload_opened h where h.client_id = $1 and h.payload_id = $2 and h.person = $3) then 'me'
       when exists (select from payload_opened h where h.client_id = $1 and h.payload_id = $2 and h.person = '') then 'others'
       else 'none' end as heard
     from (select) x left join lateral (
       select mark, marked_by from payload_marks where client_id = $1 and payload_id = $2 and withdrawn_at is null order by mark_id desc limit 1) m on true`,
    [q.client_id, payload_id, person],
  )
  return rows[0] ?? { mark: null, marked_by: null, heard: 'none' }
}

/** Receipts of a payload, newest first. */
export function findReceipts(q: Queryable, payload_id: number): Promise<Receipt[]> {
  return q.rows<Receipt>(
    `select client_app_user, confirmed_at, is_person from payload_receipts where client_id = $1 and payload_id = $2
     order by confirmed_at desc, client_app_user`,
    [q.client_id, payload_id],
  )
}

/** Audit records shown for one payload. */
const RECORDS = 1000

/** The audit entries of a payload, newest first, at most a thousand. Receipts have their own list. */
export function findPayloadAudit(q: Queryable, payload_id: number): Promise<PayloadAudit['records']> {
  return q.rows<PayloadAudit['records'][number]>(
    `with a as (
       select portal_user, action, at, log_id, detail from payload_audit where client_id = $1 and payload_id = $2
       order by at desc, log_id desc, action limit ${RECORDS}
     ), n as (${PORTAL_USER_NAMES('$1', 'in (select portal_user from a)')})
     select portal_user, display_name as name, action, at as time, detail from a left join n on n.user_reference = a.portal_user
     order by at desc, log_id desc, action`,
    [q.client_id, payload_id],
  )
}

/** Acts by which content reaches a person, a client app or other storage. */
const OPENING = [
  'payloads:play',
  'payloads:download',
  'payloads:export',
  'profile.exports:create',
  'payloads.snippets:read',
  'devices.sms:read',
  'transfers:deliver',
]

/** Who opened a payload in a period, with what they heard of it until now, and its length. */
export async function findOpenings(
  q: Queryable,
  { payload_id, payload_reference }: { payload_id: number; payload_reference: string },
  { from, to }: { from: number; to: number },
): Promise<Pick<AccessReport['report'], 'did' | 'length'>> {
  const { rows } = await q.query<AccessReport['report']['did'][number]>(
    `with a as (
       select portal_user as person, action, at, log_id, detail from payload_audit
       where client_id = $1 and payload_id = $2 and action = any($3) and at >= $4 and at < $5
       union all select client_app_user, 'receipts:confirm', confirmed_at, '', null from payload_receipts
       where client_id = $1 and payload_id = $2 and confirmed_at >= $4 and confirmed_at < $5
     ), n as (${PORTAL_USER_NAMES('$1', 'in (select person from a)')})
     select person as user_reference, n.display_name,
       json_agg(json_build_object('at', at, 'action', action, 'detail', detail) order by at, log_id, action) as acts,
       (select round(tenths_of(h.parts) / 10.0)::int from payload_plays h
        where h.client_id = $1 and h.payload_id = $2 and h.person = a.person) as heard
     from a left join n on n.user_reference = person group by person, n.display_name order by person`,
    [q.client_id, payload_id, OPENING, from, to],
  )
  const length = (await findReviewable(q, payload_reference))?.length
  return { did: rows, length: length === undefined || length === null ? null : Math.round(length) }
}

/** Metres by which device and camera may differ without a contradiction: a position may be minutes old. */
const NEAR = 1000

/** Compares place and time in a photo's first bytes with the device's metadata. */
export async function readInFile(
  ctx: Pick<AppContext, 'keys' | 'objects'>,
  client: string,
  payload_reference: string,
  original: StoredObject,
  meta: Record<string, unknown> | undefined,
): Promise<PayloadMedia['in_file']> {
  const opened = await openObject(ctx, client, payload_reference, original)
  const head: Uint8Array[] = []
  try {
    for await (const chunk of opened.read(0, Math.min(EXIF_HEAD, opened.plaintextSize))) head.push(chunk)
  } finally {
    opened.forget()
  }
  const { location, taken_at } = readExif(Buffer.concat(head))
  if (location === undefined && taken_at === undefined) return undefined
  const device = getPlace(meta)
  const metres_away = location && device && Math.round(distanceBetween(location, device))
  return {
    ...(location && { location }),
    ...(metres_away !== undefined && { metres_away }),
    contradicts_device: metres_away !== undefined && metres_away > NEAR + (device?.accuracy ?? 0),
    ...(taken_at && { taken_at }),
  }
}

interface Place {
  latitude: number
  longitude: number
  accuracy?: number
}

/** The device's position at the time of recording; the metadata was validated on arrival. */
const getPlace = (meta: Record<string, unknown> | undefined): Place | undefined =>
  (meta?.payload_location as Place | null | undefined) ?? undefined
