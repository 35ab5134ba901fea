import { isDeepStrictEqual } from 'node:util'
import { PAYLOAD_META, type PayloadMeta } from '@custodia/contract'
import { partyNumbers, payloadDocument } from '@custodia/domain'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import { openFix } from '../devices/reports/gps-keys.ts'
import { STATE_CODES as S, typeOfCode } from '../payload-records/codes.ts'
import { openBody } from '../payloads/comment-body.ts'
import { findSealedMetadata, openSealedMetadata } from '../payloads/sealed-metadata-store.ts'
import { gpsKeyContext, reportKeyContext } from '../ports/keys/contexts.ts'
import { readDeviceDek } from '../ports/keys/device-dek.ts'
import { CiphertextRefused, KeyUnknown } from '../ports/keys/port.ts'
import { type Check, type Client, pages, type Scope } from './checks.ts'
import type { Part } from './deep.ts'

/** Rows read at a time. */
const PAGE = 500

/**
 * Compares the readable fields of a client's payloads with the ones that devices sealed, and opens the other sealed
 * parts.
 */
export async function verifySealed(scope: Scope, client: Client, part: Part): Promise<void> {
  await verifyDocuments(scope, client, part)
  for (const each of SEALED_ROWS) await verifySealedRows(scope, client, part, each)
}

interface DocumentRow {
  payload_id: number
  payload_reference: string
  type: number
  reported_time: number
  payload_end_time: number | null
  list_doc: string
  all_numbers: string[]
  second_party_numbers: string[]
}

const DOCUMENTS = `
  select p.payload_id, p.payload_reference, p.type, coalesce(p.claimed_time, p.payload_time) as reported_time, p.payload_end_time,
    d.list_doc::text as list_doc, d.all_numbers, d.second_party_numbers
  from payloads p join payload_documents d using (payload_id)
  where p.client_id = $1 and p.payload_id > $2 and p.payload_id % $3 = $4 and p.state in (${S.Processed}, ${S.NotRecorded}, ${S.Deleted})
    and ($5::bigint is null or p.updated_at >= $5) and ($6::bigint[] is null or p.payload_id = any($6))
  order by p.payload_id limit ${PAGE}`

async function verifyDocuments(scope: Scope, client: Client, { of, rest }: Part): Promise<void> {
  const values = (after: number, only: readonly number[] | null) => [
    client.client_id,
    after,
    of,
    rest,
    scope.since,
    only,
  ]
  const after = (last?: DocumentRow) => values(last?.payload_id ?? 0, null)
  for await (const rows of pages<DocumentRow>(scope, DOCUMENTS, PAGE, after)) {
    const suspects = (await getFaults(scope, client, rows)).map(({ row }) => Number(row.payload_id))
    if (suspects.length === 0) continue
    // A finding is what a second look finds, at rows read afresh.
    const again = await scope.session.rows<DocumentRow>(DOCUMENTS, values(0, suspects))
    for (const { row, check, detail } of await getFaults(scope, client, again))
      scope.findings.add(check, client.client, [{ subject: row.payload_reference, detail }])
  }
}

interface DocumentFault {
  row: DocumentRow
  check: Check
  detail: string
}

async function getFaults(
  { ctx }: Scope,
  { client_id }: Client,
  rows: readonly DocumentRow[],
): Promise<DocumentFault[]> {
  const ids = rows.map(({ payload_id }) => payload_id)
  const sealed = await ctx.db.read(client_id, (q) => findSealedMetadata(q, ids))
  const byId = new Map(sealed.map((each) => [Number(each.payload_id), each]))
  const faults: DocumentFault[] = []
  for (const row of rows) {
    const of = byId.get(Number(row.payload_id))
    // Its absence is found among the rows.
    if (!of) continue
    try {
      await readDeviceDek(ctx.keys, of)
    } catch (error) {
      if (!isDamage(error)) throw error
      // A slot that is lost is found among the keys.
      if (error instanceof CiphertextRefused)
        faults.push({ row, check: 'key_refused', detail: 'as its device wrapped it' })
    }
    try {
      const others = getDifferences(row, await openSealedMetadata(ctx, of))
      if (others.length > 0)
        faults.push({ row, check: 'document_wrong', detail: `other than sealed: ${others.join(', ')}` })
    } catch (error) {
      // Keys and metadata that do not open are found with the objects.
      if (!isDamage(error)) throw error
    }
  }
  return faults
}

/** In what a payload is shown otherwise than its device sealed it: names of fields, no values. */
function getDifferences(row: DocumentRow, opened: Record<string, unknown>): string[] {
  const parsed = PAYLOAD_META[typeOfCode(row.type)].safeParse(opened)
  if (!parsed.success) return ['payload_type']
  const meta: PayloadMeta = parsed.data
  const kept = JSON.parse(row.list_doc) as Record<string, unknown>
  // The announced end is gone when its warning is there.
  const { time_warnings } = kept as { time_warnings?: string[] }
  const contradicted = time_warnings?.includes('payload_end_time') ? -1 : undefined
  const sealed = JSON.parse(JSON.stringify(payloadDocument(meta, contradicted))) as Record<string, unknown>
  const fields = new Set([...Object.keys(kept), ...Object.keys(sealed)])
  const others = [...fields].filter((field) => !isDeepStrictEqual(kept[field], sealed[field]))
  const { all_numbers, second_party_numbers } = partyNumbers(meta)
  if (!isDeepStrictEqual(row.all_numbers, all_numbers)) others.push('all_numbers')
  if (!isDeepStrictEqual(row.second_party_numbers, second_party_numbers)) others.push('second_party_numbers')
  if (Number(row.reported_time) !== meta.payload_time) others.push('payload_time')
  const end = 'payload_end_time' in meta ? meta.payload_end_time : undefined
  // Not every announcement has one.
  if (end !== undefined && row.payload_end_time !== null && Number(row.payload_end_time) !== end)
    others.push('payload_end_time')
  return others
}

const isDamage = (error: unknown): boolean =>
  error instanceof EnvelopeError || error instanceof CiphertextRefused || error instanceof KeyUnknown

/** What a statement selects of a row: its order, whose finding it is, and of the others what opens it. */
interface SealedRow {
  major: string
  minor: number
  subject: string
  payload_reference: string
  device_reference: string
  by: string
  day: number
  timestamp: number
  wrapped_key: Buffer
  iv: Buffer
  sealed: Buffer
}

/** Rows of which a part is sealed, and how to open one. */
interface SealedRows {
  check: Check
  /** Rows behind ($2, $3), of those whose number leaves the rest $5 of $4. */
  sql: string
  open(ctx: Scope['ctx'], client: Client, row: SealedRow): Promise<unknown>
}

const SEALED_ROWS: readonly SealedRows[] = [
  {
    check: 'comment_wrong',
    sql: `select c.comment_id as major, v.comment_version as minor, p.payload_reference as subject, p.payload_reference, c.wrapped_key,
        v.updated_by as by, v.sealed_body as sealed
      from payload_comments c join payload_comment_versions v using (client_id, comment_id) join payloads p using (client_id, payload_id)
      where c.client_id = $1 and (c.comment_id, v.comment_version) > ($2::text, $3::bigint) and c.wrapped_key is not null
        and p.payload_id % $4 = $5
      order by 1, 2 limit ${PAGE}`,
    open: (ctx, { client }, { major, minor, payload_reference, by, wrapped_key, sealed }) =>
      openBody(
        ctx,
        { client, payload_reference, comment_id: major, comment_version: Number(minor), by },
        wrapped_key,
        sealed,
      ),
  },
  {
    check: 'report_wrong',
    sql: `select t.telemetry_id as major, t.row_id as minor, 'telemetry ' || t.telemetry_id as subject, d.device_reference, k.wrapped_key, t.iv,
        t.sealed_meta as sealed
      from telemetry t join devices d using (client_id, device_id) join report_keys k using (client_id, report_key_id)
      where t.client_id = $1 and (t.telemetry_id, t.row_id) > ($2::text, $3::bigint) and k.wrapped_key is not null and t.row_id % $4 = $5
      order by 1, 2 limit ${PAGE}`,
    async open({ keys }, { client }, { major, device_reference, wrapped_key, iv, sealed }) {
      const dek = await keys.unwrap(wrapped_key, reportKeyContext(client, device_reference))
      const identity = { client, payload_reference: major, kind: 'telemetry' }
      openMeta(dek, identity, base64(iv), base64(sealed))
    },
  },
  {
    check: 'report_wrong',
    sql: `select p.gps_reference as major, p.row_id as minor, 'position ' || p.gps_reference as subject, d.device_reference, k.day, k.wrapped_key,
        p.timestamp, p.sealed
      from gps_points p join devices d using (client_id, device_id) join gps_keys k using (client_id, key_id)
      where p.client_id = $1 and (p.gps_reference, p.row_id) > ($2::text, $3::bigint) and k.wrapped_key is not null and p.row_id % $4 = $5
      order by 1, 2 limit ${PAGE}`,
    async open({ keys }, { client }, { major, device_reference, day, wrapped_key, timestamp, sealed }) {
      const key = await keys.unwrap(wrapped_key, gpsKeyContext(client, device_reference, day))
      const place = { client, gps_reference: major, timestamp: Number(timestamp) }
      if (!openFix(key, place, sealed)) throw new CiphertextRefused('a position does not open')
    },
  },
]

const base64 = (bytes: Buffer): string => bytes.toString('base64')

async function verifySealedRows(
  scope: Scope,
  client: Client,
  { of, rest }: Part,
  { check, sql, open }: SealedRows,
): Promise<void> {
  const after = (last?: SealedRow) => [client.client_id, last?.major ?? '', last?.minor ?? 0, of, rest]
  for await (const rows of pages<SealedRow>(scope, sql, PAGE, after))
    for (const row of rows)
      await open(scope.ctx, client, row).catch((error: unknown) => {
        if (!isDamage(error)) throw error
        const detail = 'what is sealed does not open'
        scope.findings.add(check, client.client, [{ subject: row.subject, detail }])
      })
}
