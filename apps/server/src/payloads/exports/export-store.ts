import {
  type DataExport,
  EXPORT_SECONDS,
  type ExportContent,
  type Locale,
  OPEN_EXPORTS,
  PayloadDocument,
  type PayloadType,
} from '@custodia/contract'
import { PORTAL_USER_NAME } from '../../device-records/names-store.ts'
import { Problem } from '../../http/problem.ts'
import { typeOfCode } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { SealedEntry } from '../../sealed-log/entry-store.ts'
import { getId, ofTransaction, SEALED_SOURCES } from '../../sealed-log/sources.ts'

/** The payloads of a part, and the bytes of the available ones. */
export interface PlannedPart {
  payload_references: string[]
  size: number
}

export interface PlannedExport {
  export_id: string
  made_by: string
  reason: string | null
  refused: number
  is_cut: boolean
  contents: readonly ExportContent[]
  locale: Locale
  parts: readonly PlannedPart[]
}

/** Keeps an export. Problem: too_many_requests. */
export async function insertExport(tx: Tx, plan: PlannedExport, now: number): Promise<void> {
  const { export_id, made_by, reason, refused, is_cut, contents, locale, parts } = plan
  const open = await tx.count(
    'select count(*)::int as total from data_exports where client_id = $1 and made_by = $2 and expires_at > $3',
    [tx.client_id, made_by, now],
  )
  // Each may have ten thousand rows: one person must not fill the disk.
  if (open >= OPEN_EXPORTS) throw new Problem('too_many_requests', { detail: 'exports that can be fetched' })
  await tx.query(
    `insert into data_exports (client_id, export_id, made_by, reason, created_at, expires_at, refused, is_cut, contents, locale)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [tx.client_id, export_id, made_by, reason, now, now + EXPORT_SECONDS, refused, is_cut, contents, locale],
  )
  await tx.query(
    `insert into data_export_parts (client_id, export_id, part, payload_references, size)
     select $1, $2, n, array(select jsonb_array_elements_text(p -> 'payload_references')), (p ->> 'size')::bigint
     from jsonb_array_elements($3::jsonb) with ordinality x(p, n)`,
    [tx.client_id, export_id, JSON.stringify(parts)],
  )
}

/** The exports of one person that can be downloaded, newest first; only the named one when a reference is given. */
export function listExports(
  q: Queryable,
  made_by: string,
  now: number,
  export_id?: string,
): Promise<DataExport[]> {
  return q.rows<DataExport>(
    `select e.export_id, e.created_at, e.expires_at, e.contents, e.refused, e.is_cut,
       coalesce(sum(cardinality(p.payload_references)), 0)::int as items,
       coalesce(jsonb_agg(jsonb_build_object('part', p.part, 'items', cardinality(p.payload_references), 'size', p.size,
         'fetched_at', p.fetched_at, 'sent', p.sent, 'finished_at', p.finished_at)
         order by p.part) filter (where p.part is not null), '[]') as parts
     from data_exports e left join data_export_parts p using (client_id, export_id)
     where e.client_id = $1 and e.made_by = $2 and e.expires_at > $3 and ($4::text is null or e.export_id = $4)
     group by e.client_id, e.export_id order by e.created_at desc, e.export_id desc limit ${OPEN_EXPORTS}`,
    [q.client_id, made_by, now, export_id ?? null],
  )
}

interface FoundPart {
  payload_references: string[]
  reason: string | null
  contents: ExportContent[]
  locale: Locale
  parts: number
}

/** A part of an export of this person that can be downloaded. */
export function findPart(
  q: Queryable,
  made_by: string,
  now: number,
  { export_id, part }: { export_id: string; part: number },
): Promise<FoundPart | undefined> {
  return q.row<FoundPart>(
    `select p.payload_references, e.reason, e.contents, e.locale,
       (select count(*)::int from data_export_parts o where o.client_id = $1 and o.export_id = $2) as parts
     from data_exports e join data_export_parts p using (client_id, export_id)
     where e.client_id = $1 and e.export_id = $2 and p.part = $3 and e.made_by = $4 and e.expires_at > $5`,
    [q.client_id, export_id, part, made_by, now],
  )
}

/** Stores the progress of a download; false when its export was deleted. */
export async function noteSent(
  tx: Tx,
  { export_id, part }: { export_id: string; part: number },
  { sent, finished_at }: { sent: number; finished_at: number | null },
): Promise<boolean> {
  const noted = await tx.query(
    'update data_export_parts set sent = $4, finished_at = $5 where client_id = $1 and export_id = $2 and part = $3',
    [tx.client_id, export_id, part, sent, finished_at],
  )
  return noted.rowCount > 0
}

/** What an export says about a recording: who, when, and with which parties. */
export interface ExportedFacts {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  /** As the device reported it. */
  payload_time: number
  payload_end_time: number | null
  processed_at: number | null
  device_reference: string
  device_user_reference: string | null
  /** First name and surname. */
  person: string | null
  group_id: number
  group: string
  document: PayloadDocument
}

/** The facts of these payloads. */
export async function findExportedFacts(
  q: Queryable,
  payload_ids: readonly number[],
): Promise<ExportedFacts[]> {
  const { rows } = await q.query<
    Omit<ExportedFacts, 'payload_type' | 'document'> & { type: number; list_doc: string | null }
  >(
    `select p.payload_id, p.payload_reference, p.type, coalesce(p.claimed_time, p.payload_time) as payload_time,
       p.payload_end_time, p.processed_at, v.device_reference, u.device_user_reference,
       nullif(trim(concat_ws(' ', u.first_name, u.surname)), '') as person, p.group_id, g.group_reference as "group", o.list_doc
     from payloads p join groups g on g.group_id = p.group_id join devices v on v.device_id = p.device_id
     left join device_users u on u.device_user_id = p.device_user_id
     left join payload_documents o on o.payload_id = p.payload_id
     where p.client_id = $1 and p.payload_id = any($2)`,
    [q.client_id, payload_ids],
  )
  return rows.map(({ type, list_doc, ...row }) => ({
    ...row,
    payload_type: typeOfCode(type),
    document: list_doc === null ? {} : PayloadDocument.parse(JSON.parse(list_doc)),
  }))
}

/** Stores that a part was requested. */
export async function noteFetched(
  tx: Tx,
  { export_id, part }: { export_id: string; part: number },
  at: number,
) {
  await tx.query(
    'update data_export_parts set fetched_at = $4 where client_id = $1 and export_id = $2 and part = $3',
    [tx.client_id, export_id, part, at],
  )
}

/** Deletes the expired exports of a tenant; `now` in epoch seconds. */
export async function forgetEndedExports(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from data_exports where client_id = $1 and expires_at <= $2', [tx.client_id, now])
}

/** Deletes an export of this person; false when it does not exist. */
export async function deleteExport(tx: Tx, made_by: string, export_id: string): Promise<boolean> {
  const gone = await tx.query(
    'delete from data_exports where client_id = $1 and export_id = $2 and made_by = $3',
    [tx.client_id, export_id, made_by],
  )
  return gone.rowCount > 0
}

/** Which device had a recording, with which holders and numbers, and who played how much of it. */
export interface Custody {
  payload_id: number
  announced_at: number
  uploaded_at: number | null
  /** SHA-256 of the sealed data, as the device announced it. */
  checksum: string | null
  device: {
    device_reference: string
    model: string | null
    serial_number: string | null
    imeis: string[]
    /** When the device proved its key, and that hardware keeps the key. */
    key_pinned_at: number | null
    attested_at: number | null
  }
  holders: { device_user_reference: string | null; group: string; from_at: number; to_at: number | null }[]
  numbers: {
    phone_number: string
    from_at: number
    to_at: number | null
    last_verified: number | null
    is_contested: boolean
  }[]
  /** Seconds of the recording. */
  plays: {
    person: string
    person_name: string | null
    played: number
    length: number | null
    first_at: number
    last_at: number
  }[]
}

/** Custody of these recordings: the holders of the device until now, and its numbers at the time of the recording. */
export const findCustody = async (q: Queryable, payload_ids: readonly number[]): Promise<Custody[]> =>
  await q.rows<Custody>(
    `select p.payload_id, p.announced_at, p.uploaded_at, encode(e.checksum, 'hex') as checksum,
         json_build_object('device_reference', v.device_reference, 'model', v.model, 'serial_number', v.serial_number,
           'imeis', v.imeis, 'key_pinned_at', v.key_pinned_at, 'attested_at', v.attested_at) as device,
         coalesce((select json_agg(json_build_object('device_user_reference', u.device_user_reference, 'group', g.group_reference,
             'from_at', d.from_at, 'to_at', d.to_at) order by d.from_at)
           from device_history d join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)
           where d.client_id = $1 and d.device_id = p.device_id), '[]') as holders,
         coalesce((select json_agg(json_build_object('phone_number', n.phone_number, 'from_at', n.from_at, 'to_at', n.to_at,
             'last_verified', n.last_verified, 'is_contested', n.is_contested) order by n.from_at, n.slot_index)
           from device_numbers n where n.client_id = $1 and n.device_id = p.device_id
             and n.from_at <= greatest(p.payload_time, p.claimed_time, p.announced_at)
             and (n.to_at is null or n.to_at >= least(p.payload_time, p.claimed_time))), '[]') as numbers,
         coalesce((select json_agg(json_build_object('person', y.person, 'person_name', ${PORTAL_USER_NAME('$1', 'y.person')}, 'played', tenths_of(y.parts) / 10.0,
             'length', y.length / 10.0, 'first_at', y.first_at, 'last_at', y.last_at) order by y.first_at, y.person)
           from payload_plays y where y.client_id = $1 and y.payload_id = p.payload_id), '[]') as plays
       from payloads p join devices v using (client_id, device_id)
       left join payload_envelopes e on e.payload_id = p.payload_id
       where p.client_id = $1 and p.payload_id = any($2)`,
    [q.client_id, payload_ids],
  )

/** SQL: entries `r` of a sealed table. */
const getEntries = (table: string, from: string, where: string): string =>
  SEALED_SOURCES.filter((source) => source.table === table)
    .map(
      (source) =>
        `select '${table}' as source, (${getId(source)}) collate "C" as source_id, r.xid from ${from} where r.client_id = $1 and ${where}`,
    )
    .join('')

/** Most entries about one recording in an export: of acts of people and apps the newest ones, which are the most by far. */
const TRAIL_LIMIT = 1000

const TRAIL = `
  select e.position, e.source, e.source_id, e.xid::text as xid, e.at, e.digest, e.salt from (${[
    getEntries('payload_history', 'payload_history r', 'r.payload_id = $2'),
    getEntries('payload_reassignments', 'payload_reassignments r', 'r.payload_id = $2'),
    getEntries('payload_write_offs', 'payload_write_offs r', 'r.payload_id = $2'),
    getEntries(
      'transfer_audit',
      // The key begins with the config.
      'transfer_configs c join transfer_audit r using (client_id, transfer_config_reference)',
      'r.payload_id = $2',
    ),
    getEntries('portal_activities', 'portal_activities r', 'r.payload_reference = $3'),
    // A call about many recordings names them here only.
    `select 'portal_activities', r.log_id collate "C", r.xid from payload_audit a
     join portal_activities r on r.client_id = a.client_id and r.log_id = a.log_id and r.activity_time = a.at
     where a.client_id = $1 and a.payload_id = $2`,
    getEntries(
      'legal_hold_events',
      'legal_hold_events r',
      '(r.target_type, r.target) in (select * from unnest($5::text[], $6::text[]))',
    ),
  ].join(
    ' union ',
  )}) x join sealed_entries e on e.client_id = $1 and e.xid = x.xid::text::bigint and ${ofTransaction('x.xid')} and e.source = x.source::sealed_source and e.source_id = x.source_id
  where e.position < $4 order by e.source = 'portal_activities', e.position desc limit ${TRAIL_LIMIT + 1}`

/**
 * Sealed entries about a recording and the holds of its people, of the first `size` of the log, the newest first; and
 * whether there are more.
 */
export const findTrail = async (
  q: Queryable,
  { payload_id, payload_reference }: Pick<ExportedFacts, 'payload_id' | 'payload_reference'>,
  { held, size }: { held: readonly { target_type: string; target: string }[]; size: number },
): Promise<{ entries: SealedEntry[]; isCut: boolean }> => {
  const rows = await q.rows<SealedEntry>(TRAIL, [
    q.client_id,
    payload_id,
    payload_reference,
    size,
    held.map(({ target_type }) => target_type),
    held.map(({ target }) => target),
  ])
  const entries = rows.slice(0, TRAIL_LIMIT).toSorted((a, b) => b.position - a.position)
  return { entries, isCut: rows.length > entries.length }
}
