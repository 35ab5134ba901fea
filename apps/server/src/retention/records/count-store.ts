import { COUNTED_RECORDS, type EntityType } from '@custodia/contract'
import { type PolicyVersion, recordSpans, type RecordSpan } from '@custodia/domain'
import { KEEPS } from '../../held-records/store.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { RETAINED_KINDS } from './fleet-store.ts'
import { type RecordKind, getStage } from './kind-store.ts'

/** Records of one policy entry due for each act at each requested time. */
export interface RecordsDue {
  entity_type: Exclude<EntityType, 'Payload'>
  deleted: number[]
  destroyed: number[]
  /** Only the oldest records are counted. */
  is_capped: boolean
}

/**
 * Counts other records due at each time (epoch seconds, ascending) by `decideRecord`, per policy entry. Active or held
 * records stay; a record due for deletion counts as deleted only.
 */
export async function countRecordsDue(
  q: Queryable,
  versions: readonly PolicyVersion[],
  times: readonly number[],
): Promise<RecordsDue[]> {
  const found = new Map<string, RecordsDue>()
  for (const kind of RETAINED_KINDS) {
    const { follows } = kind
    const spans = recordSpans(versions, follows, getStage(kind))
    if (spans.length === 0) continue
    const none = () => times.map(() => 0)
    const sum = found.get(follows) ?? {
      entity_type: follows,
      deleted: none(),
      destroyed: none(),
      is_capped: false,
    }
    const { due, is_capped } = await countKind(q, kind, spans, times)
    const act = kind.deletes ? 'deleted' : 'destroyed'
    sum[act] = sum[act].map((count, i) => count + (due[i] ?? 0))
    sum.is_capped ||= is_capped
    found.set(follows, sum)
  }
  return [...found.values()]
}

async function countKind(
  q: Queryable,
  kind: RecordKind,
  spans: readonly RecordSpan[],
  times: readonly number[],
): Promise<{ due: number[]; is_capped: boolean }> {
  const { table, time, received, key, only = 'true', facts, subjects } = kind
  const came = getStage(kind) === 'record' ? 'least(p.payload_time, p.claimed_time)' : 'p.claimed_time'
  const last = times.at(-1) ?? 0
  const until = last - 86_400 * Math.min(...spans.map(({ days }) => days))
  const { rows } = await q.query<{ due: number[]; is_capped: boolean }>(
    `with p as (
       select client_id, ${facts}, ${time} as payload_time, ${received} as claimed_time, greatest(${time}, ${received}) as payload_end_time
       from ${table} where client_id = $1 and ${time} <= $4 and ${only} order by ${table}.${time}, ${table}.${key} limit ${COUNTED_RECORDS}
     ), due as (
       select greatest(p.payload_time, p.claimed_time) + s.days::bigint * 86400 as goes_at from p
       join jsonb_to_recordset($2) s (from_at bigint, until_at bigint, days int) on ${came} >= s.from_at and ${came} < s.until_at
       where greatest(p.payload_time, p.claimed_time) + s.days::bigint * 86400 <= ($3::bigint[])[${times.length}]
         and not (exists (select from legal_holds h where h.client_id = $1 and ${KEEPS})
           and exists (select from (${subjects}) x join legal_holds h on h.client_id = $1 and h.target_type = x.target_type and h.target = x.target
             where ${KEEPS}))
     )
     select array[${times.map((_, i) => `count(*) filter (where goes_at <= ($3::bigint[])[${i + 1}])`).join(', ')}]::int[] as due,
       (select count(*) from p) = ${COUNTED_RECORDS} as is_capped from due`,
    [
      q.client_id,
      JSON.stringify(
        spans.map(({ from, until: to, days }) => ({
          from_at: from ?? Number.MIN_SAFE_INTEGER,
          until_at: to ?? Number.MAX_SAFE_INTEGER,
          days,
        })),
      ),
      times,
      until,
    ],
  )
  return rows[0] ?? { due: [], is_capped: false }
}
