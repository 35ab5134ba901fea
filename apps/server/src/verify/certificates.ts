import { createPublicKey } from 'node:crypto'
import { checkCertificate } from '../destruction/store.ts'
import type { Client, Scope } from './scope.ts'

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
