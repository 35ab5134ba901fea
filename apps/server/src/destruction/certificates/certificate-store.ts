import { type CertificateSummary, CERTIFIED_LIMIT, type DestructionCertificate } from '@custodia/contract'
import { PORTAL_USER_NAME } from '../../device-records/names-store.ts'
import { CLOCK } from '../../held-records/store.ts'
import { typeOfCode } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** A finished run whose next part needs a certificate. */
export interface UncertifiedRun {
  run_id: string
  began_at: number
  ended_at: number
  part: number
  parts: number
  /** Database time. */
  now: number
}

/** Oldest finished run without a certificate. */
export function findUncertified(q: Queryable): Promise<UncertifiedRun | undefined> {
  return q.row<UncertifiedRun>(
    `select r.run_id, r.began_at, r.ended_at, c.last + 1 as part, (r.payloads + ${CERTIFIED_LIMIT - 1}) / ${CERTIFIED_LIMIT} as parts, ${CLOCK} as now
     from destruction_runs r cross join lateral (
       select coalesce(max(part), 0) as last from destruction_certificates c where c.client_id = r.client_id and c.run_id = r.run_id) c
     where r.client_id = $1 and r.ended_at is not null and r.payloads > c.last * ${CERTIFIED_LIMIT}
       and not exists (select from destruction_ledger l left join destruction_ends e using (client_id, payload_id)
         where l.client_id = r.client_id and l.run_id = r.run_id and e.payload_id is null)
     order by r.run_id limit 1`,
    [q.client_id],
  )
}

export type CertifiedPayload = DestructionCertificate['certificate']['payloads'][number]
/** A ledger line with its end. */
type Line = Omit<CertifiedPayload, 'payload_type' | 'gates' | 'holds' | 'replayed_at'> & {
  type: number
  replayed_at: number | null
  gates: Partial<CertifiedPayload['gates']>
  people_checked: number
  holds_ended: number
}

/** SQL: certified columns of lines `l` and ends `e`. */
const CERTIFIED = `l.payload_reference, l.type, l.payload_time, l.announced_at, l.processed_at, l.deleted_at, l.destroyed_at, l.destroyed_by,
  e.ended_at as finished_at, l.keys, e.objects, l.checksum, l.digests, l.policy_version, l.rule, l.gates, l.people_checked, l.holds_ended, l.replayed_at,
  (select jsonb_strip_nulls(jsonb_build_object('list', y.destruction_reference, 'by', y.released_by,
    'name', ${PORTAL_USER_NAME('l.client_id', 'y.released_by')}, 'at', y.released_at))
   from destruction_list_items x join destruction_lists y using (client_id, destruction_reference)
   where x.client_id = l.client_id and x.payload_id = l.payload_id and x.state = 'destroyed' and y.released_by is not null limit 1) as released`

/** Certificate entry of a line. */
const getCertified = ({
  type,
  gates,
  people_checked,
  holds_ended,
  replayed_at,
  released,
  ...line
}: Line): CertifiedPayload => ({
  ...line,
  payload_type: typeOfCode(type),
  gates: { receipts: gates.receipts ?? [], transfers: gates.transfers ?? [] },
  holds: { people_checked, ended: holds_ended },
  // Only the former database knew who released this destruction.
  ...(replayed_at === null ? { released } : { replayed_at, ...(released ? { released } : {}) }),
})

/** Certified content of a part of a run. */
export async function findCertified(
  q: Queryable,
  { run_id, part }: Pick<UncertifiedRun, 'run_id' | 'part'>,
): Promise<CertifiedPayload[]> {
  const { rows } = await q.query<Line>(
    `select ${CERTIFIED} from destruction_ledger l join destruction_ends e using (client_id, payload_id)
     where l.client_id = $1 and l.run_id = $2 order by l.payload_id offset $3 limit ${CERTIFIED_LIMIT}`,
    [q.client_id, run_id, (part - 1) * CERTIFIED_LIMIT],
  )
  return rows.map(getCertified)
}

type StoredCertificate = Omit<CertificateSummary, 'client' | 'run'> & { run_id: string }

const COLUMNS =
  'certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum'

/** A certificate as a line of the keystore's ledger. */
export interface CertificateLine extends StoredCertificate {
  client: string
  body: string
  /** Base64. */
  signature: string
}

/** Serialises the certificates of the tenant until the transaction ends. */
export async function lockCertificates(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('certificates:' || $1::text, 0))`, [
    tx.client_id,
  ])
}

/** Stores a certificate that is in a ledger file. */
export async function insertCertificate(
  tx: Tx,
  line: CertificateLine,
  { file, isReplayed }: { file: string; isReplayed: boolean },
): Promise<void> {
  await tx.query(
    `insert into destruction_certificates (client_id, ${COLUMNS}, body, signature, replayed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, decode($13, 'base64'), case when $14 then ${CLOCK} end) on conflict do nothing`,
    [
      tx.client_id,
      line.certificate_reference,
      line.run_id,
      line.part,
      line.parts,
      line.payloads,
      line.began_at,
      line.ended_at,
      line.issued_at,
      line.key_id,
      line.checksum,
      line.body,
      line.signature,
      isReplayed,
    ],
  )
  await setCertificateFiles(tx, [line.certificate_reference], file)
}

/** Stores the ledger file of certificates; of a certificate in several files, the first. */
export async function setCertificateFiles(
  tx: Tx,
  references: readonly string[],
  file: string,
): Promise<void> {
  await tx.query(
    `insert into destruction_certificate_files (client_id, certificate_reference, file)
     select client_id, certificate_reference, $3 from destruction_certificates where client_id = $1 and certificate_reference = any($2)
     on conflict do nothing`,
    [tx.client_id, references, file],
  )
}

/** Certificates that are in no ledger file, at most `limit`. */
export async function findUnnotedCertificates(
  q: Queryable,
  client: string,
  limit: number,
): Promise<CertificateLine[]> {
  const { rows } = await q.query<StoredCertificate & { body: string; signature: Buffer }>(
    `select ${COLUMNS}, body, signature from destruction_certificates c where client_id = $1 and not exists (
       select from destruction_certificate_files f where f.client_id = c.client_id and f.certificate_reference = c.certificate_reference)
     order by certificate_reference limit $2`,
    [q.client_id, limit],
  )
  return rows.map(({ signature, ...row }) => ({ client, ...row, signature: signature.toString('base64') }))
}

/**
 * Stores a certificate of the replaced database with its run. An open run ends; later destructions belong to another
 * run.
 */
export async function replayCertificate(tx: Tx, line: CertificateLine, file: string): Promise<void> {
  await tx.query(
    `insert into destruction_runs (client_id, run_id, began_at, ended_at) values ($1, $2, $3, $4)
     on conflict (client_id, run_id) do update set ended_at = excluded.ended_at where destruction_runs.ended_at is null`,
    [tx.client_id, line.run_id, line.began_at, line.ended_at],
  )
  await insertCertificate(tx, line, { file, isReplayed: true })
}

/** Certificates after a cursor, newest first. */
export function findCertificates(
  q: Queryable,
  after: string | undefined,
  limit: number,
): Promise<StoredCertificate[]> {
  return q.rows<StoredCertificate>(
    `select ${COLUMNS} from destruction_certificates where client_id = $1 and ($2::text is null or certificate_reference < $2)
     order by certificate_reference desc limit $3`,
    [q.client_id, after ?? null, limit],
  )
}

export function countCertificates(q: Queryable): Promise<number> {
  return q.count('select count(*)::int as total from destruction_certificates where client_id = $1', [
    q.client_id,
  ])
}

/** Signed content and signature. */
export function findCertificate(
  q: Queryable,
  certificate_reference: string,
): Promise<{ body: string; key_id: string; signature: Buffer } | undefined> {
  return q.row<{ body: string; key_id: string; signature: Buffer }>(
    'select body, key_id, signature from destruction_certificates where client_id = $1 and certificate_reference = $2',
    [q.client_id, certificate_reference],
  )
}

// Runs of the replaced database: the ledger replay restored their lines, without a count.

/** A replayed run and the number of its ledger lines. */
type ReplayedRun = Omit<UncertifiedRun, 'parts'> & { lines: number }

/** Oldest replayed run with finished, uncertified lines. */
export function findReplayed(q: Queryable): Promise<ReplayedRun | undefined> {
  return q.row<ReplayedRun>(
    `select r.run_id, r.began_at, r.ended_at, c.last + 1 as part, l.lines, ${CLOCK} as now
     from destruction_runs r left join destruction_runs_certified d using (client_id, run_id)
     cross join lateral (select coalesce(max(part), 0) as last from destruction_certificates c where c.client_id = r.client_id and c.run_id = r.run_id) c
     cross join lateral (select count(*)::int as lines, count(e.payload_id)::int as gone from destruction_ledger l
       left join destruction_ends e using (client_id, payload_id) where l.client_id = r.client_id and l.run_id = r.run_id) l
     where r.client_id = $1 and r.ended_at is not null and r.payloads is null and l.lines = l.gone and l.lines > coalesce(d.lines, 0)
     order by r.run_id limit 1`,
    [q.client_id],
  )
}

/** SQL: uncertified lines `l` of run $2, with their ends `e`. */
const LEFT = `destruction_ledger l join destruction_ends e using (client_id, payload_id)
  where l.client_id = $1 and l.run_id = $2 and l.payload_reference not in (select x ->> 'payload_reference'
    from destruction_certificates c cross join lateral jsonb_array_elements(c.body::jsonb -> 'payloads') x where c.client_id = $1 and c.run_id = $2)`

/** Number of uncertified lines of such a run. */
export function countLeft(q: Queryable, { run_id }: Pick<ReplayedRun, 'run_id'>): Promise<number> {
  return q.count(`select count(*)::int as count from ${LEFT}`, [q.client_id, run_id])
}

/** Uncertified lines, at most one certificate's worth. */
export async function findLeft(
  q: Queryable,
  { run_id }: Pick<ReplayedRun, 'run_id'>,
): Promise<CertifiedPayload[]> {
  const { rows } = await q.query<Line>(
    `select ${CERTIFIED} from ${LEFT} order by l.payload_id limit ${CERTIFIED_LIMIT}`,
    [q.client_id, run_id],
  )
  return rows.map(getCertified)
}

/** Marks these lines as certified. */
export async function settleReplayed(tx: Tx, { run_id, lines }: ReplayedRun): Promise<void> {
  await tx.query(
    `insert into destruction_runs_certified (client_id, run_id, lines) values ($1, $2, $3)
     on conflict (client_id, run_id) do update set lines = excluded.lines`,
    [tx.client_id, run_id, lines],
  )
}
