import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** An address that a user claims and has yet to confirm. */
export interface AddressCheck {
  check_id: string
  address: string
  asked_at: number
  check_state: 'waiting' | 'sent' | 'confirmed' | 'failed'
  last_error: string | null
  code_hash: Buffer | null
  tries: number
}

/** The address that was given last. */
export function findLastCheck(q: Queryable, subscription_id: string): Promise<AddressCheck | undefined> {
  return q.row<AddressCheck>(
    `select check_id, address, asked_at, check_state, last_error, code_hash, tries from alert_address_checks
     where client_id = $1 and subscription_id = $2 order by check_id desc limit 1`,
    [q.client_id, subscription_id],
  )
}

/** How many addresses the person gave since a second, those of subscriptions that they ended as well. */
export function countChecks(q: Queryable, user_reference: string, since: number): Promise<number> {
  return q.count(
    `select count(*)::int as count from alert_address_checks where client_id = $1 and user_reference = $2 and asked_at > $3`,
    [q.client_id, user_reference, since],
  )
}

/** Stores an address that will get a code. */
export async function insertCheck(
  tx: Tx,
  check: { check_id: string; subscription_id: string; user_reference: string; address: string },
  now: number,
): Promise<void> {
  await tx.query(
    `insert into alert_address_checks (client_id, check_id, subscription_id, user_reference, address, asked_at, next_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [tx.client_id, check.check_id, check.subscription_id, check.user_reference, check.address, now],
  )
}

/** Forgets the addresses that the person gave, and mails none of them a code; when they gave them stays. */
export async function blankChecks(tx: Tx, user_reference: string): Promise<void> {
  await tx.query(
    `update alert_address_checks set address = '', code_hash = null, check_state = 'failed' where client_id = $1 and user_reference = $2`,
    [tx.client_id, user_reference],
  )
}

/** Counts a try to confirm an address before the code is looked at. */
export async function countTry(tx: Tx, check_id: string): Promise<void> {
  await tx.query('update alert_address_checks set tries = tries + 1 where client_id = $1 and check_id = $2', [
    tx.client_id,
    check_id,
  ])
}

/** Confirms an address once. False if another request confirmed it first. */
export async function endCheck(tx: Tx, check_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update alert_address_checks set check_state = 'confirmed' where client_id = $1 and check_id = $2 and check_state <> 'confirmed'`,
    [tx.client_id, check_id],
  )
  return rowCount > 0
}

/** Clients with people who wait for codes. */
export function clientsWithDueCodes(db: Database, now: number): Promise<number[]> {
  return db.acrossClients((q) =>
    q.column<number>(
      `select client_id from clients c where exists (select from alert_address_checks d
         where d.client_id = c.client_id and d.check_state = 'waiting' and d.next_at <= $1)`,
      [now],
    ),
  )
}

/** A code that this worker mails now. */
export interface ClaimedCheck {
  check_id: string
  address: string
  asked_at: number
  attempts: number
  language: 'en-GB' | 'pt-BR'
}

/** Claims the addresses whose codes are due for `lease` seconds. */
export function claimChecks(tx: Tx, now: number, lease: number): Promise<ClaimedCheck[]> {
  return tx.rows<ClaimedCheck>(
    `update alert_address_checks c set next_at = $2::bigint + $3, attempts = attempts + 1
     from alert_subscriptions s
     where s.client_id = c.client_id and s.subscription_id = c.subscription_id and c.client_id = $1 and c.check_id = any(array(
       select check_id from alert_address_checks where client_id = $1 and check_state = 'waiting' and next_at <= $2
       order by check_id limit 50 for update skip locked))
     returning c.check_id, c.address, c.asked_at, c.attempts, s.language`,
    [tx.client_id, now, lease],
  )
}

/** Stores the result of an attempt; the digest is stored before the mail is sent. */
export async function settleCheck(
  tx: Tx,
  check_id: string,
  outcome: Partial<Pick<AddressCheck, 'check_state' | 'last_error' | 'code_hash'> & { next_at: number }>,
): Promise<void> {
  await tx.query(
    `update alert_address_checks set check_state = coalesce($3, check_state), last_error = $4, code_hash = coalesce($5, code_hash),
       next_at = coalesce($6, next_at)
     where client_id = $1 and check_id = $2 and check_state = 'waiting'`,
    [
      tx.client_id,
      check_id,
      outcome.check_state ?? null,
      outcome.last_error ?? null,
      outcome.code_hash ?? null,
      outcome.next_at ?? null,
    ],
  )
}

/** Forgets addresses that were given before a second. */
export async function forgetChecks(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from alert_address_checks where client_id = $1 and asked_at < $2', [
    tx.client_id,
    before,
  ])
}
