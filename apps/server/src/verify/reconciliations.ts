import { createPublicKey } from 'node:crypto'
import { checkReconciliation } from '../transfers/store.ts'
import type { Client, Scope } from './scope.ts'

/** Reconciliations per look: one may name ten thousand payloads. */
const BATCH = 20

/** In the order of their primary key: whether the version before is there and is the one that is replaced, and deliveries that were entered since. */
const RECONCILIATIONS = `
  select r.reconciliation_reference, r.body, r.key_id, encode(r.signature, 'base64') as signature, case
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

interface Row {
  reconciliation_reference: string
  body: string
  key_id: string
  signature: string
  detail: string | null
}

/** Verifies signatures, order and contents of reconciliations of transfers. */
export async function verifyReconciliations(
  { ctx, findings, session, signal }: Scope,
  { client_id, client }: Client,
): Promise<void> {
  for (let after = '', isOver = false; !isOver;) {
    signal?.throwIfAborted()
    const rows = await session.query<Row>(RECONCILIATIONS, [client_id, after])
    // Asked for only where something was signed: the first question makes a key.
    const keys = rows.length === 0 ? [] : await ctx.keys.verificationKeys()
    const publicKeys = keys.map(({ public_key_pem }) => createPublicKey(public_key_pem))
    for (const { reconciliation_reference, body, key_id, signature, detail } of rows) {
      const value = signature.replaceAll('\n', '')
      const file = {
        reconciliation: JSON.parse(body) as unknown,
        signature: { algorithm: 'Ed25519', key_id, value },
      }
      const { outcome } = checkReconciliation(JSON.stringify(file), publicKeys)
      const wrong = outcome === 'good' ? detail : outcome
      if (wrong !== null)
        findings.add('reconciliation_wrong', client, [
          { subject: `reconciliation ${reconciliation_reference}`, detail: wrong },
        ])
    }
    isOver = rows.length < BATCH
    after = rows.at(-1)?.reconciliation_reference ?? after
  }
}
