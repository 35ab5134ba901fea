import type { AlertScope, AlertSeverity, AlertSubscriptionInput } from '@custodia/contract'
import { lockClient } from '../clients/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A person's subscription, with what became of its mails. */
export interface KeptSubscription extends AlertSubscriptionInput {
  subscription_id: string
  user_reference: string
  confirmed_address: string | null
  waiting: number
  dead: number
  last_attempt_at: number | null
  last_error: string | null
}

const counted = (state: string) => `(select count(*)::int from alert_deliveries d
  where d.client_id = s.client_id and d.subscription_id = s.subscription_id and d.delivery_state = '${state}')`

/** The person's subscription; undefined: none. */
export function findSubscription(
  q: Queryable,
  user_reference: string,
): Promise<KeptSubscription | undefined> {
  return q.row<KeptSubscription>(
    `select s.subscription_id, s.user_reference, s.language, s.low, s.medium, s.high, s.digest_hour, s.address_source, s.confirmed_address,
       ${counted('waiting')} as waiting, ${counted('dead')} as dead, l.last_attempt_at, l.last_error
     from alert_subscriptions s left join lateral (select last_attempt_at, last_error from alert_deliveries d
       where d.client_id = s.client_id and d.subscription_id = s.subscription_id and d.last_attempt_at is not null
         and d.delivery_state <> 'withheld'
       order by d.last_attempt_at desc, d.delivery_id desc limit 1) l on true
     where s.client_id = $1 and s.user_reference = $2`,
    [q.client_id, user_reference],
  )
}

/** The owner of a subscription: its id if it is new, and the confirmed address if it is not. */
interface SubscriptionOwner {
  subscription_id: string
  user_reference: string
  confirmed_address?: string | null
}

/** Keeps what the person subscribes to; the address that they confirmed stays. */
export async function writeSubscription(
  tx: Tx,
  { subscription_id, user_reference, confirmed_address = null }: SubscriptionOwner,
  input: AlertSubscriptionInput,
  now: number,
): Promise<void> {
  const { language, low, medium, high, digest_hour, address_source } = input
  await tx.query(
    `insert into alert_subscriptions (client_id, subscription_id, user_reference, language, low, medium, high, digest_hour, address_source, updated_at,
       confirmed_address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (client_id, user_reference) do update set language = excluded.language, low = excluded.low, medium = excluded.medium,
       high = excluded.high, digest_hour = excluded.digest_hour, address_source = excluded.address_source, updated_at = excluded.updated_at`,
    [
      tx.client_id,
      subscription_id,
      user_reference,
      language,
      low,
      medium,
      high,
      digest_hour,
      address_source,
      now,
      confirmed_address,
    ],
  )
}

/** Locks the subscription of the person until the transaction ends; its id, or undefined where there is none. */
export async function lockSubscription(tx: Tx, user_reference: string): Promise<string | undefined> {
  const lock = () =>
    tx.value<string>(
      'select subscription_id from alert_subscriptions where client_id = $1 and user_reference = $2 for no key update',
      [tx.client_id, user_reference],
    )
  const known = await lock()
  if (known !== undefined) return known
  await lockClient(tx)
  return lock()
}

/** Has mails sent to an address that the person confirmed. */
export async function writeConfirmedAddress(
  tx: Tx,
  subscription_id: string,
  address: string,
  now: number,
): Promise<void> {
  await tx.query(
    `update alert_subscriptions set confirmed_address = $3, address_source = 'confirmed', updated_at = $4
     where client_id = $1 and subscription_id = $2`,
    [tx.client_id, subscription_id, address, now],
  )
}

/** Removes the subscription of the person with all that waits for it; false where there is none. */
export async function removeSubscription(tx: Tx, user_reference: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from alert_subscriptions where client_id = $1 and user_reference = $2',
    [tx.client_id, user_reference],
  )
  return rowCount > 0
}

/** Forgets subscriptions of people who have not signed in since a second. */
export async function forgetSubscriptions(tx: Tx, since: number): Promise<void> {
  await tx.query(
    `delete from alert_subscriptions s where client_id = $1 and updated_at < $2 and not exists (
       select from portal_sessions p where p.client_id = s.client_id and p.user_reference = s.user_reference and p.created_at >= $2)`,
    [tx.client_id, since],
  )
}

export interface DueSubscription {
  subscription_id: string
  user_reference: string
  language: AlertSubscriptionInput['language']
  address_source: AlertSubscriptionInput['address_source']
  confirmed_address: string | null
}

/**
 * Subscriptions with due deliveries and without a mail in the last `gap` seconds, so that one mail collects alerts.
 */
export function dueSubscriptions(q: Queryable, now: number, gap: number): Promise<DueSubscription[]> {
  const ofThis = 'd.client_id = s.client_id and d.subscription_id = s.subscription_id'
  return q.rows<DueSubscription>(
    `select subscription_id, user_reference, language, address_source, confirmed_address from alert_subscriptions s
     where client_id = $1 and exists (select from alert_deliveries d where ${ofThis} and d.delivery_state = 'waiting' and d.next_at <= $2)
       and not exists (select from alert_deliveries d where ${ofThis} and d.delivery_state = 'delivered' and d.last_attempt_at > $2::bigint - $3)`,
    [q.client_id, now, gap],
  )
}

/** An alert that was mailed and is open since, so that its incident is known to the subscriber. */
export interface MailedAlert {
  alert_reference: string
  alert_scope: AlertScope
  incident_kind: string
  alert_severity: AlertSeverity
}

/** The open alerts of these kinds that a subscription has mailed since they triggered, with the mailed severity. */
export function mailedAlerts(
  q: Queryable,
  subscription_id: string,
  incident_kinds: readonly string[],
): Promise<MailedAlert[]> {
  return q.rows<MailedAlert>(
    `select a.alert_reference, a.alert_scope, a.incident_kind, d.alert_severity
     from alert_deliveries d join alerts a on a.client_id = d.client_id and a.alert_reference = d.alert_reference
     where d.client_id = $1 and d.subscription_id = $2 and d.delivery_state = 'delivered' and d.occurred_at >= a.triggered_at
       and a.alert_state = 'Triggered' and a.incident_kind = any($3)`,
    [q.client_id, subscription_id, incident_kinds],
  )
}

/** The number of test mails that the person requested since `since`. */
export function countTestMails(q: Queryable, user_reference: string, since: number): Promise<number> {
  return q.count(
    `select count(*)::int as count from alert_deliveries d join alert_subscriptions s using (client_id, subscription_id)
     where d.client_id = $1 and s.user_reference = $2 and d.alert_reference is null and d.occurred_at > $3`,
    [q.client_id, user_reference, since],
  )
}

/** Queues a test, where the person has a subscription. */
export async function queueTestMail(tx: Tx, user_reference: string, now: number): Promise<void> {
  await tx.query(
    `insert into alert_deliveries (client_id, subscription_id, alert_type, alert_scope, alert_severity, occurred_at, next_at)
     select client_id, subscription_id, 'Notification', 'ops', 'Low', $3, $3 from alert_subscriptions
     where client_id = $1 and user_reference = $2 for key share`,
    [tx.client_id, user_reference, now],
  )
}
