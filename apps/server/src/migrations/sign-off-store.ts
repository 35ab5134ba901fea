import { type MigrationSignOff, SIGN_OFF_SAMPLE } from '@custodia/contract'
import { STATE_CODES, TYPE_CODES, typeOfCode } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { restartPasses } from '../retention/store.ts'
import { ERASE_AT, getTypes } from './store.ts'

/** Maximum number of listed files. */
const FILES = 1000

/** Types that are played; others only open. */
const PLAYED_TYPES = (['Call', 'Interview', 'Photo', 'Video'] as const)
  .map((type) => TYPE_CODES[type])
  .join(', ')

/** Draws the random sample for the sign-off, once, after the import. */
export async function drawSample(tx: Tx, migration_reference: string): Promise<void> {
  await tx.query(
    `insert into migration_samples (client_id, migration_reference, position, payload_id)
     select $1, $2, row_number() over (), payload_id from (
       select payload_id from (
         select distinct payload_id from migration_results where client_id = $1 and migration_reference = $2 and payload_id is not null) d
       order by gen_random_uuid() limit ${SIGN_OFF_SAMPLE}) x
     on conflict do nothing`,
    [tx.client_id, migration_reference],
  )
}

/** A sampled payload and what the reviewer did with it since the run. */
type SampledPayload = MigrationSignOff['sample'][number]

/** Sample of a run, with what this reviewer opened and played since its end, from the audit logs. */
export async function findSample(
  q: Queryable,
  migration_reference: string,
  person: string,
): Promise<SampledPayload[]> {
  const { rows } = await q.query<Omit<SampledPayload, 'payload_type'> & { type: number }>(
    `select p.payload_reference, p.type, coalesce(l.legacy_payload_reference, '') as item,
       exists (select from portal_activities a where a.client_id = $1 and a.payload_reference = p.payload_reference and a.action = 'payloads:read'
         and a.is_allowed and a.user_reference = $3 and not a.is_client_app and a.support_reference is null and a.activity_time >= r.migrated_at) as is_opened,
       p.type in (${PLAYED_TYPES}) and p.state not in (${STATE_CODES.Failed}, ${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})
         and exists (select from payload_objects o where o.client_id = $1 and o.payload_id = p.payload_id and o.kind = 'original') as must_play,
       exists (select from payload_audit a where a.client_id = $1 and a.payload_id = p.payload_id and a.action = 'payloads:play'
         and a.portal_user = $3 and a.at >= r.migrated_at) as is_played
     from migration_samples s join migration_runs r using (client_id, migration_reference) join payloads p using (client_id, payload_id)
     left join legacy_payloads l on l.client_id = $1 and l.payload_id = p.payload_id
     where s.client_id = $1 and s.migration_reference = $2 order by s.position`,
    [q.client_id, migration_reference, person],
  )
  return rows.map(({ type, ...each }) => ({ ...each, payload_type: typeOfCode(type) }))
}

/** Compares the files of a run with its results. */
export function compareFiles(q: Queryable, migration_reference: string): Promise<MigrationSignOff['files']> {
  return q.rows<MigrationSignOff['files'][number]>(
    `select f.filename, f.size, f.sha256, f.rows, count(m.sequence) filter (where m.kind <> 'File')::int as results,
       count(m.sequence) filter (where m.result_type in (${getTypes('success')}))::int as imported,
       count(m.sequence) filter (where m.result_type in (${getTypes('warning')}))::int as warnings,
       count(m.sequence) filter (where m.result_type in (${getTypes('error')}))::int as errors
     from migration_files f left join migration_results m using (client_id, migration_reference, filename)
     where f.client_id = $1 and f.migration_reference = $2 and (f.rows is not null or f.problem is not null)
     group by f.filename, f.size, f.sha256, f.rows order by f.filename limit ${FILES}`,
    [q.client_id, migration_reference],
  )
}

/** SQL: whether the stored content of result `m` equals the source file, or has no data; null: not verified yet. */
const verified = (
  m = 'm',
): string => `(case when ${m}.source_sha256 is null then true else (select case when p.state = ${STATE_CODES.Failed} then false
    else o.checksum = ${m}.source_sha256 end
  from payloads p left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = 'original'
  where p.client_id = ${m}.client_id and p.payload_id = ${m}.payload_id) end)`

/** Compares payload rows with stored payloads, by type. */
export function compareTypes(q: Queryable, migration_reference: string): Promise<MigrationSignOff['types']> {
  return q.rows<MigrationSignOff['types'][number]>(
    `select payload_type, count(*)::int as rows, count(payload_id)::int as imported,
       count(*) filter (where payload_id is not null and is_verified)::int as verified,
       count(*) filter (where payload_id is not null and is_verified is null)::int as awaited,
       count(*) filter (where payload_id is not null and not is_verified)::int as differing
     from (select m.payload_type, m.payload_id, case when m.payload_id is not null then ${verified()} end as is_verified from migration_results m
       where m.client_id = $1 and m.migration_reference = $2 and m.kind = 'Payload') x
     group by payload_type order by payload_type`,
    [q.client_id, migration_reference],
  )
}

/** Accepts a run and restarts the retention passes. False when it was accepted before. */
export async function signRun(
  tx: Tx,
  migration_reference: string,
  { now, by, explanation }: { now: number; by: string; explanation: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update migration_runs set signed_off_at = $3, signed_off_by = $4, explanation = $5
     where client_id = $1 and migration_reference = $2 and signed_off_at is null`,
    [tx.client_id, migration_reference, now, by, explanation],
  )
  if (rowCount !== 1) return false
  await restartPasses(tx)
  return true
}

/** Finished runs whose files have passed the account's retention days. */
export function runsToErase(q: Queryable, now: number): Promise<string[]> {
  return q.column<string>(
    `select r.migration_reference from migration_runs r where r.client_id = $1 and ${ERASE_AT} <= $2 order by r.migration_reference`,
    [q.client_id, now],
  )
}

/** Results whose rows are stored and leave nothing in the drop folder. */
const TAKEN = `(m.result_type not like 'Ignore%' and m.result_type not in (${getTypes('error')}))`
/** A destroyed payload was accepted before; no content remains to compare. */
const KEPT_AS_IT_WAS = (m: string) => `(${verified(m)} is true or exists (select from payloads p
  where p.client_id = ${m}.client_id and p.payload_id = ${m}.payload_id and p.state = ${STATE_CODES.Destroyed}))`

/**
 * Files of a run whose rows are all stored and verified, by this run or the runs it settled. Under media/: files that
 * rows of this run imported. Never skipped files or those of another run.
 */
export function filesToErase(
  q: Queryable,
  migration_reference: string,
): Promise<{ filename: string; sha256: string }[]> {
  return q.rows<{ filename: string; sha256: string }>(
    `select f.filename, f.sha256 from migration_files f
     where f.client_id = $1 and f.migration_reference = $2 and f.problem is null and case
       when f.rows is not null then not exists (select from migration_results m
         where m.client_id = f.client_id and m.filename = f.filename and m.migration_reference = f.migration_reference and not ${TAKEN})
         and not exists (select from migration_results m
           join legacy_payloads l on l.client_id = m.client_id and l.legacy_payload_reference = m.item
           join migration_results a on a.client_id = l.client_id and a.payload_id = l.payload_id
           where m.client_id = f.client_id and m.filename = f.filename and m.kind = 'Payload' and m.migration_reference in (
               select s.migration_reference from migration_runs s
               where s.client_id = f.client_id and (s.settled_by = f.migration_reference or s.migration_reference = f.migration_reference))
             and not ${KEPT_AS_IT_WAS('a')})
       when f.filename like 'media/%' then exists (select from migration_results m
           where m.client_id = f.client_id and m.migration_reference = f.migration_reference and m.payload_id is not null
             and m.media @> array[substring(f.filename from 7)])
         and not exists (select from migration_results a
           join migration_files g on g.client_id = a.client_id and g.migration_reference = a.migration_reference
             and g.filename = f.filename and g.sha256 = f.sha256
           where a.client_id = f.client_id and a.payload_id is not null and a.media @> array[substring(f.filename from 7)]
             and not ${KEPT_AS_IT_WAS('a')})
       else f.filename = 'manifest.json' end
     order by f.filename`,
    [q.client_id, migration_reference],
  )
}

export function countFiles(q: Queryable, migration_reference: string): Promise<number> {
  return q.count(
    'select count(*)::int as count from migration_files where client_id = $1 and migration_reference = $2',
    [q.client_id, migration_reference],
  )
}

/** Stores that the files of a run are erased. */
export async function noteErased(tx: Tx, migration_reference: string, now: number): Promise<void> {
  await tx.query(
    'update migration_runs set sources_erased_at = $3 where client_id = $1 and migration_reference = $2 and sources_erased_at is null',
    [tx.client_id, migration_reference, now],
  )
}
