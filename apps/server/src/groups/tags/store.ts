import type { StoredTag, TagDefinition } from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import { getVersion } from '../../http/etag.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

interface TagRow extends TagDefinition {
  client: string
  groups: number
  updated_at: number
  updated_by: string
}

const COLUMNS = `${clientColumn('d.client_id')}, d.tag_key, d.tag_values, d.is_required, d.default_value, d.updated_at, d.updated_by,
  (select count(distinct t.group_id)::int from group_tags t where t.client_id = d.client_id and t.tag_key = d.tag_key) as groups`

const FILTER = `d.client_id = $1 and (position(lower($2) in lower(d.tag_key)) > 0 or exists (
  select from unnest(d.tag_values || d.default_value) as value where position(lower($2) in lower(value)) > 0))`

/** Definitions with `search` in their key or one of their values, after a key and in order of their keys. */
export async function listTags(
  q: Queryable,
  { search, after, limit }: { search: string; after: string; limit: number },
): Promise<StoredTag[]> {
  const { rows } = await q.query<TagRow>(
    `select ${COLUMNS} from tag_definitions d
     where ${FILTER} and d.tag_key > $3 order by d.tag_key limit $4`,
    [q.client_id, search, after, limit],
  )
  return rows.map(storedTag)
}

/** How many definitions have that in their key or one of their values. */
export function countTags(q: Queryable, search: string): Promise<number> {
  return q.count(`select count(*)::int as total from tag_definitions d where ${FILTER}`, [
    q.client_id,
    search,
  ])
}

/** The definition, or undefined. Within a change it is locked. */
export async function findTag(q: Queryable, tag_key: string): Promise<StoredTag | undefined> {
  const { rows } = await q.query<TagRow>(
    `select ${COLUMNS} from tag_definitions d where d.client_id = $1 and d.tag_key = $2`,
    [q.client_id, tag_key],
  )
  return rows[0] && storedTag(rows[0])
}

/** Every definition of the client. */
export function findDefinitions(q: Queryable): Promise<TagDefinition[]> {
  return q.rows<TagDefinition>(
    'select tag_key, tag_values, is_required, default_value from tag_definitions where client_id = $1 order by tag_key',
    [q.client_id],
  )
}

/** Creates or replaces a definition. */
export async function writeTag(
  tx: Tx,
  { tag_key, tag_values, is_required, default_value }: TagDefinition,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `insert into tag_definitions (client_id, tag_key, tag_values, is_required, default_value, updated_at, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (client_id, tag_key) do update
       set tag_values = excluded.tag_values, is_required = excluded.is_required, default_value = excluded.default_value,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, tag_key, tag_values, is_required, default_value, by.updated_at, by.updated_by],
  )
}

export async function removeTag(tx: Tx, tag_key: string): Promise<void> {
  await tx.query('delete from tag_definitions where client_id = $1 and tag_key = $2', [tx.client_id, tag_key])
}

function storedTag({ updated_at, updated_by, groups, ...definition }: TagRow): StoredTag {
  const { tag_key, tag_values, is_required, default_value } = definition
  return {
    ...definition,
    groups,
    version: getVersion([tag_key, tag_values, is_required, default_value]),
    updated_at,
    updated_by,
  }
}
