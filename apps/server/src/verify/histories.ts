import type { PayloadState } from '@custodia/contract'
import { type HistoryStep, isHistory } from '@custodia/domain'
import { stateOfCode } from '../payload-records/codes.ts'
import { type Client, KEPT, type Scope } from './checks.ts'

/** Seconds by which the clocks of processes may differ: steps closer together have no known order. */
const SKEW = 60

/** A step as one number: its group of moments, the old state, the new state. */
const GROUP = 256
const FROM = 16

/**
 * State sequences of payloads. A million payloads have a few dozen, so the domain's table validates each sequence
 * once. After the server's clock went back, a step counts as no earlier than those before it; the lock of the payload
 * gives their order.
 */
const WALKS = `
  with timed as (
    select payload_id, coalesce(from_state, 0) * ${FROM} + to_state as code,
      max(at) over (partition by payload_id order by entry_id) as at
    from payload_history h
    where client_id = $1 and ($2::bigint is null or payload_id in (select payload_id from payloads where client_id = $1 and updated_at >= $2))
  ), step as (
    select payload_id, at, code, (at - lag(at) over (partition by payload_id order by at) > ${SKEW})::int as pause from timed
  ), grouped as (
    select payload_id, code + ${GROUP} * coalesce(sum(pause) over (partition by payload_id order by at), 0)::int as code from step
  ), walk as (
    select payload_id, array_agg(code order by code) as codes from grouped group by payload_id
  ), walked as (
    select p.payload_reference, p.state, coalesce(w.codes, '{}') as codes
    from payloads p left join walk w using (payload_id) where p.client_id = $1 and ($2::bigint is null or p.updated_at >= $2)
  )`

interface Walk {
  state: number
  codes: number[]
  count: number
}

/** Histories that are no way through the table of states, or end elsewhere; steps without time or author. Resolves to how many payloads. */
export async function verifyHistories(
  { session, findings, since, ctx }: Scope,
  client: Client,
): Promise<number> {
  const { client_id } = client
  const walks = await session.rows<Walk>(
    `${WALKS} select state, codes, count(*)::int as count from walked group by state, codes`,
    [client_id, since],
  )
  const broken = walks.filter((walk) => !isSound(walk))
  if (broken.length > 0) {
    const found = await session.rows<{ subject: string; detail: string; total: number }>(
      `${WALKS} select payload_reference as subject, coalesce((select name from payload_states where code = state), 'unknown') || ' after '
         || cardinality(codes) || ' steps' as detail, (count(*) over ())::int as total
       from walked where (state::text || codes::text) = any($3) limit ${KEPT}`,
      [client_id, since, broken.map(({ state, codes }) => `${state}{${codes.join(',')}}`)],
    )
    findings.add('history_broken', client.client, found, found[0]?.total)
  }
  const unsigned = await session.rows<{ subject: string; detail: string; total: number }>(
    `select 'payload ' || payload_id as subject, case when by = '' then 'a step without an actor' else 'a step at an impossible time' end as detail,
       (count(*) over ())::int as total
     from payload_history where client_id = $1 and (by = '' or at <= 0 or at > $2) limit ${KEPT}`,
    [client_id, ctx.now() + 86_400],
  )
  findings.add('history_broken', client.client, unsigned, unsigned[0]?.total)
  return walks.reduce((sum, { count }) => sum + count, 0)
}

function isSound({ state, codes }: Walk): boolean {
  const groups = Map.groupBy(codes, (code) => Math.floor(code / GROUP))
  const current = stateOrNothing(state)
  const steps = [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group.map(getStep))
  if (!current || steps.flat().some((step) => step === undefined)) return false
  return isHistory(steps as HistoryStep[][], current)
}

function getStep(code: number): HistoryStep | undefined {
  const from = Math.floor((code % GROUP) / FROM)
  const to = stateOrNothing(code % FROM)
  const before = from === 0 ? null : stateOrNothing(from)
  return to && before !== undefined ? { from: before, to } : undefined
}

function stateOrNothing(code: number): PayloadState | undefined {
  try {
    return stateOfCode(code)
  } catch {
    return undefined
  }
}
