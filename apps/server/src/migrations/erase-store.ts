import type { Queryable, Tx } from '../ports/database/lease.ts'
import { ERASE_AT } from './run-store.ts'
import { typesOf } from './result-types-store.ts'
import { verified } from './sign-off-store.ts'
import { STATE_CODES } from '../payload-records/codes.ts'

/** Finished runs whose files have passed the account's retention days. */
export async function runsToErase(q: Queryable, now: number): Promise<string[]> {
  const { rows } = await q.query<{ migration_reference: string }>(
    `select r.migration_reference from migration_runs r where r.client_id = $1 and ${ERASE_AT} <= $2 order by r.migration_reference`,
    [q.client_id, now],
    'migration_runs_to_erase',
  )
  return rows.map(({ migration_reference }) => migration_reference)
}

/** Results whose rows are stored and leave nothing in the drop folder. */
const TAKEN = `(m.result_type not like 'Ignore%' and m.result_type not in (${typesOf('error')}))`
/** A destroyed payload was accepted before; no content remains to compare. */
const KEPT_AS_IT_WAS = (m: string) => `(${verified(m)} is true or exists (select from payloads p
  where p.client_id = ${m}.client_id and p.payload_id = ${m}.payload_id and p.state = ${STATE_CODES.Destroyed}))`

/**
 * Files of a run whose rows are all stored and verified, by this run or the runs it settled. Under media/: files that
 * rows of this run imported. Never skipped files or those of another run.
 */
export async function filesToErase(
  q: Queryable,
  migration_reference: string,
): Promise<{ filename: string; sha256: string }[]> {
  const { rows } = await q.query<{ filename: string; sha256: string }>(
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
    'migration_files_to_erase',
  )
  return rows
}

export async function countFiles(q: Queryable, migration_reference: string): Promise<number> {
  const { rows } = await q.query<{ count: number }>(
    'select count(*)::int as count from migration_files where client_id = $1 and migration_reference = $2',
    [q.client_id, migration_reference],
    'migration_files_count',
  )
  return rows[0]?.count ?? 0
}

/** Stores that the files of a run are erased. */
export async function noteErased(tx: Tx, migration_reference: string, now: number): Promise<void> {
  await tx.query(
    'update migration_runs set sources_erased_at = $3 where client_id = $1 and migration_reference = $2 and sources_erased_at is null',
    [tx.client_id, migration_reference, now],
    'migration_erased',
  )
}
