import { createPublicKey, type KeyObject } from 'node:crypto'
import { checkCertificate } from '../destruction/store.ts'
import { checkReconciliation } from '../transfers/store.ts'
import { type Check, type Client, pages, type Scope } from './checks.ts'

/** Rows per page: a certificate names up to a thousand payloads, a reconciliation ten thousand. */
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
 * Certificates in primary key order, with what is wrong if the ledger has other payloads in their run. For certificates
 * restored from the ledger, payloads newer than the restored database count as well.
 */
const CERTIFICATES = `
  select certificate_reference as reference, body, key_id, signature,
    case when known <> payloads then known || ' of ' || payloads || ' as in the ledger' end as detail
  from destruction_certificates c cross join lateral (
    select count(*)::int as known from jsonb_array_elements(body::jsonb -> 'payloads') e
    where exists (select from destruction_ledger l where l.client_id = c.client_id and l.run_id = c.run_id
        and l.payload_reference = e ->> 'payload_reference' and l.destroyed_at = (e ->> 'destroyed_at')::bigint)
      or c.replayed_at is not null
        and not exists (select from payloads p where p.client_id = c.client_id and p.payload_reference = e ->> 'payload_reference')) known
  where client_id = $1 and certificate_reference > $2 order by certificate_reference limit ${BATCH}`

/** In the order of their primary key: whether the version before is there and is the one that is replaced, and deliveries that were entered since. */
const RECONCILIATIONS = `
  select r.reconciliation_reference as reference, r.body, r.key_id, r.signature, case
      when (r.body::jsonb ->> 'captured')::int <> r.captured or (r.body::jsonb ->> 'delivered')::int <> r.delivered
        or (r.body::jsonb ->> 'missing')::int <> r.missing or (r.body::jsonb ->> 'version')::int <> r.version
        or r.body::jsonb ->> 'transfer_config_reference' <> r.transfer_config_reference
        or r.body::jsonb ->> 'payload_date' <> to_char(to_timestamp(r.payload_date) at time zone 'UTC', 'YYYY-MM-DD')
        then 'kept otherwise than it was signed'
      when r.body::jsonb ->> 'replaces' is distinct from b.checksum or b.checksum is null and r.version > 1 then 'replaces another version than the one before'
      when r.delivered > (select count(*) from transfer_audit a where a.client_id = r.client_id
        and a.transfer_config_reference = r.transfer_config_reference and a.payload_date = r.payload_date)
        then 'tells of more deliveries than were entered'
      end as detail
  from transfer_reconciliations r
  left join transfer_reconciliations b on b.client_id = r.client_id and b.transfer_config_reference = r.transfer_config_reference
    and b.payload_date = r.payload_date and b.version = r.version - 1
  where r.client_id = $1 and r.reconciliation_reference > $2 order by r.reconciliation_reference limit ${BATCH}`

interface SignedRow {
  reference: string
  body: string
  key_id: string
  signature: Buffer
  /** What contradicts the row although its signature is good. */
  detail: string | null
}

/** Certificates of destruction that do not verify, or differ from the ledger or from their run. */
export async function verifyCertificates(scope: Scope, client: Client): Promise<void> {
  const found = await scope.session.rows<{ subject: string; detail: string }>(RUNS, [client.client_id])
  scope.findings.add('certificate_wrong', client.client, found)
  await verifySignedRows(scope, client, {
    check: 'certificate_wrong',
    sql: CERTIFICATES,
    member: 'certificate',
    validate: checkCertificate,
    subject: (reference) => reference,
  })
}

/** Reconciliations of transfers that do not verify, follow no version before, or differ from the deliveries. */
export async function verifyReconciliations(scope: Scope, client: Client): Promise<void> {
  await verifySignedRows(scope, client, {
    check: 'reconciliation_wrong',
    sql: RECONCILIATIONS,
    member: 'reconciliation',
    validate: checkReconciliation,
    subject: (reference) => `reconciliation ${reference}`,
  })
}

interface SignedRows {
  check: Check
  /** Rows of $1 client_id after $2, by their reference. */
  sql: string
  /** The signed member of the file. */
  member: string
  validate(text: string, publicKeys: readonly KeyObject[]): { outcome: string }
  subject(reference: string): string
}

async function verifySignedRows(
  scope: Scope,
  { client_id, client }: Client,
  { check, sql, member, validate, subject }: SignedRows,
): Promise<void> {
  const after = (last?: SignedRow) => [client_id, last?.reference ?? '']
  for await (const rows of pages<SignedRow>(scope, sql, BATCH, after)) {
    // Only if there are rows, because the first request creates a key.
    const keys = await scope.ctx.keys.verificationKeys()
    const publicKeys = keys.map(({ public_key_pem }) => createPublicKey(public_key_pem))
    for (const { reference, body, key_id, signature, detail } of rows) {
      const value = signature.toString('base64')
      const file = {
        [member]: JSON.parse(body) as unknown,
        signature: { algorithm: 'Ed25519', key_id, value },
      }
      const { outcome } = validate(JSON.stringify(file), publicKeys)
      const wrong = outcome === 'good' ? detail : outcome
      if (wrong !== null) scope.findings.add(check, client, [{ subject: subject(reference), detail: wrong }])
    }
  }
}
