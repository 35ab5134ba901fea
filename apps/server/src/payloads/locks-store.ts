import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { CLOCK, heldPayload } from '../held-records/store.ts'
import { STATE_CODES } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { LockedVersion, WantedLock } from '../ports/objects/port.ts'
import { ORIGINAL } from './data-objects.ts'

/** SQL: days of the legal minimum of each type, by the newest policy. */
const MINIMUMS = `(select t.code, m.days from (
    select minimums from retention_policies where client_id = $1 order by policy_version desc limit 1) r
  cross join lateral jsonb_to_recordset(r.minimums) as m(payload_type text, days int) join payload_types t on t.name = m.payload_type)`

/** SQL: until when the legal minimum keeps payload `p`; null: there is none. As `decide` of the domain counts it. */
const KEPT_UNTIL = `(select max(case when p.is_late then greatest(p.payload_time, p.announced_at) else p.payload_time end + m.days * 86400::bigint)
  from minimums m where m.code = p.type)`

/** The lock that a payload needs now. */
export function findWantedLock(q: Queryable, payload_id: number): Promise<WantedLock | undefined> {
  return q.row<WantedLock>(
    `with minimums as materialized ${MINIMUMS}
     select ${KEPT_UNTIL} as retain_until, ${heldPayload('$1')} as is_held from payloads p where p.client_id = $1 and p.payload_id = $2`,
    [q.client_id, payload_id],
  )
}

/** An original whose lock differs from the one that it needs. */
export type UnlockedOriginal = WantedLock & { payload_id: number; object_key: string }

/** Looks at originals by payload. `last` null: there are no further ones. */
export async function findUnlocked(
  q: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<{ last: number | null; unlocked: UnlockedOriginal[] }> {
  const { rows } = await q.query<{ last: number | null; unlocked: UnlockedOriginal[] }>(
    `with minimums as materialized ${MINIMUMS}, page as materialized (
       select payload_id, object_key, version_id, locked_until, lock_held from payload_objects
       where client_id = $1 and payload_id > $2 and kind = '${ORIGINAL}' order by payload_id limit $3
     ), wanted as (
       select o.*, ${KEPT_UNTIL} as retain_until, ${heldPayload('$1')} as is_held
       from page o join payloads p on p.client_id = $1 and p.payload_id = o.payload_id and p.state <> ${STATE_CODES.Destroyed}
     )
     select (select max(payload_id) from page) as last, coalesce(json_agg(json_build_object('payload_id', payload_id,
       'object_key', object_key, 'version_id', version_id, 'retain_until', retain_until, 'is_held', is_held) order by payload_id), '[]') as unlocked
     from wanted where version_id is null or is_held <> lock_held
       or retain_until > greatest(coalesce(locked_until, 0), ${CLOCK})`,
    [q.client_id, after, limit],
  )
  return rows[0] ?? { last: null, unlocked: [] }
}

/** Notes the locks of originals as the store has them. */
export async function noteLocks(
  tx: Tx,
  locks: readonly (LockedVersion & { payload_id: number })[],
): Promise<void> {
  await tx.query(
    `update payload_objects o set version_id = x.version_id, locked_until = x.locked_until, lock_held = x.lock_held
     from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, version_id text, locked_until bigint, lock_held boolean)
     where o.client_id = $1 and o.payload_id = x.payload_id and o.kind = '${ORIGINAL}'`,
    [tx.client_id, JSON.stringify(locks)],
  )
}

/** Whether a policy or a hold changed the locks that originals need, in the last seconds. */
export async function haveLocksChanged(q: Queryable, seconds: number): Promise<boolean> {
  return (
    (await q.value<boolean>(
      `select exists (select from retention_policies where client_id = $1 and at > ${CLOCK} - $2::bigint)
       or exists (select from legal_holds where client_id = $1 and (updated_at > ${CLOCK} - $2::bigint
         or not is_active and updated_at + ${HOLD_GRACE_SECONDS} between ${CLOCK} - $2::bigint and ${CLOCK})) as changed`,
      [q.client_id, seconds],
    )) ?? false
  )
}
