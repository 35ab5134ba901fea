import { type DataExport, EXPORT_SECONDS } from '@custodia/contract'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

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
  parts: readonly PlannedPart[]
}

/** Keeps an export. */
export async function insertExport(tx: Tx, plan: PlannedExport, now: number): Promise<void> {
  const { export_id, made_by, reason, refused, is_cut, parts } = plan
  await tx.query(
    `insert into data_exports (client_id, export_id, made_by, reason, created_at, expires_at, refused, is_cut)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [tx.client_id, export_id, made_by, reason, now, now + EXPORT_SECONDS, refused, is_cut],
  )
  await tx.query(
    `insert into data_export_parts (client_id, export_id, part, payload_references, size)
     select $1, $2, n, array(select jsonb_array_elements_text(p -> 'payload_references')), (p ->> 'size')::bigint
     from jsonb_array_elements($3::jsonb) with ordinality x(p, n)`,
    [tx.client_id, export_id, JSON.stringify(parts)],
  )
}

/** The exports of one person that can be downloaded, newest first; only the named one when a reference is given. */
export async function listExports(
  q: Queryable,
  made_by: string,
  now: number,
  export_id?: string,
): Promise<DataExport[]> {
  const { rows } = await q.query<DataExport>(
    `select e.export_id, e.created_at, e.expires_at, e.refused, e.is_cut,
       coalesce(sum(cardinality(p.payload_references)), 0)::int as items,
       coalesce(jsonb_agg(jsonb_build_object('part', p.part, 'items', cardinality(p.payload_references), 'size', p.size, 'fetched_at', p.fetched_at)
         order by p.part) filter (where p.part is not null), '[]') as parts
     from data_exports e left join data_export_parts p using (client_id, export_id)
     where e.client_id = $1 and e.made_by = $2 and e.expires_at > $3 and ($4::text is null or e.export_id = $4)
     group by e.client_id, e.export_id order by e.created_at desc, e.export_id desc limit 50`,
    [q.client_id, made_by, now, export_id ?? null],
  )
  return rows
}

/** A part of an export of this person that can be downloaded. */
export async function findPart(
  q: Queryable,
  made_by: string,
  now: number,
  { export_id, part }: { export_id: string; part: number },
): Promise<{ payload_references: string[]; reason: string | null; parts: number } | undefined> {
  const { rows } = await q.query<{ payload_references: string[]; reason: string | null; parts: number }>(
    `select p.payload_references, e.reason,
       (select count(*)::int from data_export_parts o where o.client_id = $1 and o.export_id = $2) as parts
     from data_exports e join data_export_parts p using (client_id, export_id)
     where e.client_id = $1 and e.export_id = $2 and p.part = $3 and e.made_by = $4 and e.expires_at > $5`,
    [q.client_id, export_id, part, made_by, now],
  )
  return rows[0]
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
