import { type HistoryStep, isHistory } from '@custodia/domain'
import type { PayloadState } from '@custodia/contract'
import { stateOfCode } from '../payload-records/codes.ts'
import { type Client, KEPT, type Scope } from './checks.ts'
import { createPublicKey } from 'node:crypto'
import { checkCertificate } from '../destruction/store.ts'

/** Certificates per look: one may have a thousand payloads. */
const BATCH = 20
/** Seconds within which a finished destruction must have a certificate. */
const CERTIFIED_WITHIN = 900

/**
 * Runs whose certificates do not match the ledger: `subject`, `detail`, for $1 client_id. A run that a restored
 * database learnt from the keystore's ledger has no known total, so each of its lines must be in a certificate.
 */
const RUNS = `
  select 'run ' || r.run_id as subject, case
      when r.payloads <> l.count then r.payloads || ' counted, ' || l.count || ' in the ledger'
      else c.count || ' certified of ' || l.count end as detail
  from destruction_runs r
  cross join lateral (select count(*)::int as count, count(e.payload_id)::int as gone, max(e.ended_at) as last
    from destruction_ledger l left join destruction_ends e using (client_id, payload_id)
    where l.client_id = r.client_id and l.run_id = r.run_id) l
  cross join lateral (select coalesce(sum(c.payloads), 0)::int as count from destruction_certificates c
    where c.client_id = r.client_id and c.run_id = r.run_id) c
  where r.client_id = $1 and r.payloads is not null and (r.payloads <> l.count or c.count > l.count or c.count < l.count and l.gone = l.count
    and greatest(l.last, r.ended_at) < extract(epoch from clock_timestamp()) - ${CERTIFIED_WITHIN})
  union all
  select 'run ' || r.run_id, count(*) || ' in the ledger and in no certificate'
  from destruction_runs r join destruction_ledger l using (client_id, run_id)
  where r.client_id = $1 and r.payloads is null and r.ended_at is not null
    and (select bool_and(e.ended_at < extract(epoch from clock_timestamp()) - ${CERTIFIED_WITHIN} is true)
      from destruction_ledger m left join destruction_ends e using (client_id, payload_id) where m.client_id = r.client_id and m.run_id = r.run_id)
    and l.payload_reference not in (select e ->> 'payload_reference' from destruction_certificates c
      cross join lateral jsonb_array_elements(c.body::jsonb -> 'payloads') e where c.client_id = r.client_id and c.run_id = r.run_id)
  group by r.run_id`

/**
 * Certificates in primary key order, with the number of their payloads that the ledger has in their run. For
 * certificates restored from the ledger, payloads newer than the restored database count as well.
 */
const CERTIFICATES = `
  select certificate_reference, body, key_id, encode(signature, 'base64') as signature, payloads, (
    select count(*)::int from jsonb_array_elements(body::jsonb -> 'payloads') e
    where exists (select from destruction_ledger l where l.client_id = c.client_id and l.run_id = c.run_id
        and l.payload_reference = e ->> 'payload_reference' and l.destroyed_at = (e ->> 'destroyed_at')::bigint)
      or c.replayed_at is not null
        and not exists (select from payloads p where p.client_id = c.client_id and p.payload_reference = e ->> 'payload_reference')) as known
  from destruction_certificates c where client_id = $1 and certificate_reference > $2 order by certificate_reference limit ${BATCH}`

interface Row {
  certificate_reference: string
  body: string
  key_id: string
  signature: string
  payloads: number
  known: number
}

/** Whether certificates of destruction are good, and say what the ledger says. */
export async function verifyCertificates(
  { ctx, findings, session, signal }: Scope,
  { client_id, client }: Client,
): Promise<void> {
  findings.add('certificate_wrong', client, await session.query(RUNS, [client_id]))
  for (let after = '', isOver = false; !isOver;) {
    signal?.throwIfAborted()
    const rows = await session.query<Row>(CERTIFICATES, [client_id, after])
    // Only if there are certificates, because the first request creates a key.
    const keys = rows.length === 0 ? [] : await ctx.keys.verificationKeys()
    const publicKeys = keys.map(({ public_key_pem }) => createPublicKey(public_key_pem))
    for (const { certificate_reference: subject, body, key_id, signature, payloads, known } of rows) {
      const value = signature.replaceAll('\n', '')
      const file = JSON.stringify({
        certificate: JSON.parse(body) as unknown,
        signature: { algorithm: 'Ed25519', key_id, value },
      })
      const { outcome } = checkCertificate(file, publicKeys)
      if (outcome !== 'good') findings.add('certificate_wrong', client, [{ subject, detail: outcome }])
      else if (known !== payloads)
        findings.add('certificate_wrong', client, [
          { subject, detail: `${known} of ${payloads} as in the ledger` },
        ])
    }
    isOver = rows.length < BATCH
    after = rows.at(-1)?.certificate_reference ?? after
  }
}

/** Seconds by which the clocks of processes may differ: steps closer together have no known order. */
const SKEW = 60

/** A step as one number: its group of moments, the old state, the new state. */
const GROUP = 256
const FROM = 16

/**
 * State sequences of payloads. A million payloads have a few dozen, so the domain's table validates each sequence
 * once.
 */
const WALKS = `
  with step as (
    select payload_id, at, coalesce(from_state, 0) * ${FROM} + to_state as code,
      (at - lag(at) over (partition by payload_id order by at) > ${SKEW})::int as pause
    from payload_history h
    where client_id = $1 and ($2::bigint is null or payload_id in (select payload_id from payloads where client_id = $1 and updated_at >= $2))
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
  const walks = await session.query<Walk>(
    `${WALKS} select state, codes, count(*)::int as count from walked group by state, codes`,
    [client_id, since],
  )
  const broken = walks.filter((walk) => !isSound(walk))
  if (broken.length > 0) {
    const found = await session.query<{ subject: string; detail: string; total: number }>(
      `${WALKS} select payload_reference as subject, coalesce((select name from payload_states where code = state), 'unknown') || ' after '
         || cardinality(codes) || ' steps' as detail, (count(*) over ())::int as total
       from walked where (state::text || codes::text) = any($3) limit ${KEPT}`,
      [client_id, since, broken.map(({ state, codes }) => `${state}{${codes.join(',')}}`)],
    )
    findings.add('history_broken', client.client, found, found[0]?.total)
  }
  const unsigned = await session.query<{ subject: string; detail: string; total: number }>(
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
  const steps = [...groups.entries()].toSorted(([a], [b]) => a - b).map(([, group]) => group.map(stepOf))
  if (!current || steps.flat().some((step) => step === undefined)) return false
  return isHistory(steps as HistoryStep[][], current)
}

function stepOf(code: number): HistoryStep | undefined {
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
