import { DAY, MailAddress, MAILED_DAYS } from '@custodia/contract'
import * as z from 'zod/mini'
import { AccessCache, accessIn } from '../access/load.ts'
import { LEASE, getOutcome } from '../alerts/attempts.ts'
import {
  type AttemptOutcome,
  claimDeliveries,
  type ClaimedDelivery,
  clientsWithDue,
  settleDeliveries,
} from '../alerts/delivery-store.ts'
import { raiseAlert } from '../alerts/raise.ts'
import { reachOfClient } from '../alerts/reach.ts'
import { findStatus } from '../alerts/store.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { jobKind, periodicJob } from '../jobs/kind.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { countDelivery } from '../ports/delivery-metrics.ts'
import { type Mailer, sendOrProblem } from '../ports/mail/port.ts'
import { findLastSignIn, type LastSignIn } from '../sessions/store.ts'
import { clientsWithDueCodes, forgetChecks } from './check-store.ts'
import { type DueSubscription, dueSubscriptions, forgetSubscriptions, mailedAlerts } from './store.ts'
import { mailCodes, type MailedDelivery, mailOfAlerts, getRank } from './texts.ts'

/** Whether a mail can go there: an identity provider may say anything. */
export const isAddress = (value: string | null): value is string => MailAddress.safeParse(value).success

/** Seconds between two mails to the same person; alerts raised meanwhile share a mail. */
const GAP = 30
/** Alerts of one mail. */
const TOGETHER = 500
/** People of a client who are mailed at a time. */
const WIDTH = 5
const DELIVER_DAY = 86_400

type Parts = Pick<AppContext, 'config' | 'db' | 'log' | 'mail' | 'now'>
type Sender = Parts & { mail: Mailer; access: AccessCache }

/** Sends a client's due mails. Each holds only alerts that its subscriber may read now. */
export async function deliverMails(ctx: Parts, client_id: number, signal: AbortSignal): Promise<void> {
  const { mail } = ctx
  if (!mail) return
  const sender = { ...ctx, mail, access: new AccessCache(ctx.db) }
  const waiting = await ctx.db.read(client_id, (q) => dueSubscriptions(q, ctx.now(), GAP))
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      signal.throwIfAborted()
      await deliverTo(sender, client_id, next)
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, worker))
}

async function deliverTo(ctx: Sender, client_id: number, due: DueSubscription): Promise<void> {
  const { subscription_id, user_reference, language } = due
  const claim = { now: ctx.now(), lease: LEASE, limit: TOGETHER }
  const claimed = await ctx.db.write(client_id, (tx) => claimDeliveries(tx, { subscription_id }, claim))
  if (claimed.length === 0) return
  const { to, result } = await ctx.db.read(client_id, (q) => validate(ctx, q, due, claimed))
  const reported = new Set(result.map(({ delivery_id }) => delivery_id))
  const withheld = claimed.filter(({ delivery_id }) => !reported.has(delivery_id)).map(withhold)
  const portal = ctx.config.adminPortalUrl
  const failure =
    to === undefined || result.length === 0
      ? undefined
      : await sendOrProblem(ctx.mail, mailOfAlerts({ portal, language, to }, result))
  if (failure) ctx.log.warn({ client_id, reason: failure.reason }, 'the mail server did not take alerts')
  if (to !== undefined && result.length > 0) countDelivery('mail', failure === undefined)
  const outcomes = result.map((each) =>
    getOutcome(each, failure?.reason ?? null, ctx.now(), failure?.isFinal),
  )
  await ctx.db.write(client_id, async (tx) => {
    const dead = await settleDeliveries(tx, [...withheld, ...outcomes])
    if (dead.length > 0) await alertOnDead(tx, user_reference, ctx.now())
  })
}

/**
 * The person to mail now, and what the mail reports. Empty without an address or a recent sign-in. An alert is left out
 * if it is not visible, or if a mail reported its incident before with the same severity.
 */
async function validate(
  { access, now }: Sender,
  q: Queryable,
  due: DueSubscription,
  claimed: readonly ClaimedDelivery[],
): Promise<{ to?: string; result: readonly MailedDelivery[] }> {
  const person = await findLastSignIn(q, due.user_reference, now())
  if (!person || person.created_at <= now() - MAILED_DAYS * DELIVER_DAY) return { result: [] }
  const to = due.address_source === 'confirmed' ? due.confirmed_address : person.email
  if (!isAddress(to)) return { result: [] }
  const references = claimed.flatMap(({ alert_reference }) => alert_reference ?? [])
  const status = await statusFor(access, q, person, due.user_reference, references, now())
  const visible = claimed.flatMap((each): MailedDelivery[] => {
    const incident_kind = each.alert_reference === null ? null : status.get(each.alert_reference)
    return incident_kind === undefined ? [] : [{ ...each, incident_kind }]
  })
  const mailed = await mailedAlerts(q, due.subscription_id, [...new Set(status.values())])
  const isKnown = ({ alert_reference, alert_severity, alert_scope, incident_kind }: MailedDelivery) =>
    mailed.some(
      (before) =>
        before.alert_scope === alert_scope &&
        before.incident_kind === incident_kind &&
        // A further delivery of the same alert reports that it triggered again or became more severe.
        before.alert_reference !== alert_reference &&
        getRank(before.alert_severity) >= getRank(alert_severity),
    )
  return { to, result: visible.filter((each) => !isKnown(each)) }
}

/** The open alerts among these that the person may read, with the kinds of their incidents, by the rights and network of the last sign-in. */
async function statusFor(
  access: AccessCache,
  q: Queryable,
  { roles, groups, matters, ip }: LastSignIn,
  portal_user: string,
  references: readonly string[],
  now: number,
): Promise<Map<string, string>> {
  if (references.length === 0) return new Map()
  const rights = accessIn(await access.getRights(q), { roles, groups, matters, ip })
  if (!rights.may('alerts:read')) return new Map()
  const caller = { client_id: q.client_id, access: rights, portal_user, now }
  return findStatus(q, reachOfClient(caller, 'alerts:read', 'read'), references)
}

const withhold = ({ delivery_id, attempts }: ClaimedDelivery): AttemptOutcome => ({
  delivery_id,
  attempts,
  delivery_state: 'withheld',
  next_at: 0,
  last_error: null,
})

const alertOnDead = (tx: Tx, user_reference: string, now: number) =>
  raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['ops'],
    alert_key: `mail ${user_reference}`,
    text: 'mail_gave_up',
    values: { user_reference },
    alert_severity: 'Medium',
    now,
  })

/** Mails a client's due codes, alerts and tests. Codes do not wait behind alerts. */
export const sendMailsOfClient = jobKind({
  name: 'alerts.mails-of-client',
  input: z.object({ client_id: z.int(), what: z.enum(['codes', 'alerts']) }),
  key: ({ what }) => what,
  fair: {
    lanes: { mails: { batch: 1, workers: 16, per_client: 2, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'mails', cost: 1 }),
    is_swept: true,
  },
  run: (ctx, { client_id, what }, signal) =>
    what === 'codes' ? mailCodes(ctx, client_id, signal) : deliverMails(ctx, client_id, signal),
})

/** Has alerts, tests and codes mailed. */
export const sendMails = periodicJob({
  name: 'alerts.mails',
  every: 5,
  async run(ctx) {
    if (!ctx.mail) return
    const now = ctx.now()
    const codes = await clientsWithDueCodes(ctx.db, now)
    const alerts = (await clientsWithDue(ctx.db, now)).map(({ client_id }) => client_id)
    await ctx.db.globalWrite((tx) =>
      ctx.jobs.send(
        tx,
        sendMailsOfClient,
        ...codes.map((client_id) => ({ client_id, what: 'codes' as const })),
        ...alerts.map((client_id) => ({ client_id, what: 'alerts' as const })),
      ),
    )
  },
})

/** Days without a sign-in after which a subscription is forgotten, with its address. */
const FORGOTTEN_AFTER = 90

/** Forgets addresses that were given yesterday, and subscriptions of people who have left. */
export const purgeMails = periodicJob({
  name: 'alerts.mails.purge',
  every: 3600,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, async (tx) => {
        await forgetChecks(tx, now - DAY)
        await forgetSubscriptions(tx, now - FORGOTTEN_AFTER * DAY)
      })
  },
})
