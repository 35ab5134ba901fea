import type { AlertWebhook, WebhookInput } from '@custodia/contract'
import { lockClient, clientColumn } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

const counted = (state: string) => `(select count(*)::int from alert_deliveries d
  where d.client_id = w.client_id and d.webhook_reference = w.webhook_reference and d.delivery_state = '${state}')`
const COLUMNS = `${clientColumn('w.client_id')}, w.webhook_reference, w.description, w.url, w.alert_scopes, w.min_severity, w.is_active,
  w.created_at, w.created_by, w.updated_at, w.updated_by, ${counted('waiting')} as waiting, ${counted('dead')} as dead, l.last_attempt_at, l.last_error`
const FROM = `alert_webhooks w left join lateral (select last_attempt_at, last_error from alert_deliveries d
  where d.client_id = w.client_id and d.webhook_reference = w.webhook_reference and d.last_attempt_at is not null
  order by d.delivery_id desc limit 1) l on true`

/** The account's webhooks in the order in which they were made, or the one of a reference. */
export async function listWebhooks(q: Queryable, webhook_reference?: string): Promise<AlertWebhook[]> {
  const { rows } = await q.query<Omit<AlertWebhook, 'version'>>(
    `select ${COLUMNS} from ${FROM} where w.client_id = $1 and ($2::text is null or w.webhook_reference = $2) order by w.webhook_reference`,
    [q.client_id, webhook_reference ?? null],
  )
  return rows.map((row) => {
    const { description, url, alert_scopes, min_severity, is_active, updated_at } = row
    const version = getVersion({ description, url, alert_scopes, min_severity, is_active, updated_at })
    return { ...row, version }
  })
}

/** The number of webhooks; locks them against additions, changes and test deliveries until the transaction ends. */
export async function lockWebhooks(tx: Tx): Promise<number> {
  await lockClient(tx)
  return tx.count('select count(*)::int as count from alert_webhooks where client_id = $1', [tx.client_id])
}

type ChangeStamp = { updated_at: number; updated_by: string }

/** Adds a webhook with its wrapped secret. */
export async function insertWebhook(
  tx: Tx,
  webhook_reference: string,
  input: WebhookInput,
  wrapped_key: Buffer,
  { updated_at, updated_by }: ChangeStamp,
): Promise<void> {
  await tx.query(
    `insert into alert_webhooks (client_id, webhook_reference, description, url, alert_scopes, min_severity, is_active, wrapped_key,
       created_at, created_by, updated_at, updated_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, $10)`,
    [
      tx.client_id,
      webhook_reference,
      input.description,
      input.url,
      input.alert_scopes,
      input.min_severity,
      input.is_active,
      wrapped_key,
      updated_at,
      updated_by,
    ],
  )
}

/** Changes a webhook, where there is one. */
export async function updateWebhook(
  tx: Tx,
  webhook_reference: string,
  input: WebhookInput,
  { updated_at, updated_by }: ChangeStamp,
): Promise<void> {
  await tx.query(
    `update alert_webhooks set description = $3, url = $4, alert_scopes = $5, min_severity = $6, is_active = $7, updated_at = $8, updated_by = $9
     where client_id = $1 and webhook_reference = $2`,
    [
      tx.client_id,
      webhook_reference,
      input.description,
      input.url,
      input.alert_scopes,
      input.min_severity,
      input.is_active,
      updated_at,
      updated_by,
    ],
  )
}

/** Removes a webhook with its deliveries, where there is one. */
export async function removeWebhook(tx: Tx, webhook_reference: string): Promise<void> {
  await tx.query('delete from alert_webhooks where client_id = $1 and webhook_reference = $2', [
    tx.client_id,
    webhook_reference,
  ])
}
