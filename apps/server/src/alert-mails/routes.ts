import { timingSafeEqual } from 'node:crypto'
import {
  type AlertSubscription,
  type alertSubscriptionEndpoints,
  type AlertSubscriptionInput,
  CODE_SECONDS,
  CODE_TRIES,
  CODES_A_DAY,
  DAY,
  fault,
  type Locale,
  MAILED_DAYS,
  TESTS_A_MINUTE,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { assertPerson } from '../http/assert-person.ts'
import type { Handler, Handlers, PortalContext } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { newId } from '../http/new-id.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { findLastSignIn } from '../sessions/store.ts'
import {
  type AddressCheck,
  blankChecks,
  countChecks,
  countTry,
  endCheck,
  findLastCheck,
  insertCheck,
} from './check-store.ts'
import { isAddress } from './jobs.ts'
import {
  findSubscription,
  type KeptSubscription,
  lockSubscription,
  countTestMails,
  queueTestMail,
  removeSubscription,
  writeConfirmedAddress,
  writeSubscription,
} from './store.ts'
import { hashCode } from './texts.ts'

type Rows = keyof typeof alertSubscriptionEndpoints
type Parts = Pick<AppContext, 'db' | 'mail'>

/** Handlers of the alerts that people have mailed to themselves. */
export const alertSubscriptionRoutes = (ctx: Parts): Handlers<Rows> => ({
  readAlertSubscription: (context) => {
    assertPerson(context.caller)
    return context.read((q) => toResponse(ctx, q, context))
  },

  async saveAlertSubscription(context, { body }) {
    assertMails(ctx, context)
    return context.write(async (tx) => {
      await lockSubscription(tx, context.caller.user_reference)
      const known = await findSubscription(tx, context.caller.user_reference)
      assertUnchanged(context, getVersion(known ? getSettings(known) : null))
      if (body.address_source === 'confirmed' && (known?.confirmed_address ?? null) === null)
        throw new Problem('wrong_state', { detail: 'no address is confirmed' })
      await writeSubscription(tx, { ...getIds(context), ...known }, body, context.now)
      return toResponse(ctx, tx, context)
    })
  },

  deleteAlertSubscription: (context) => {
    assertPerson(context.caller)
    return context.write(async (tx) => {
      if (!(await removeSubscription(tx, context.caller.user_reference))) throw missing()
      await blankChecks(tx, context.caller.user_reference)
      return toResponse(ctx, tx, context)
    })
  },

  async testAlertSubscription(context) {
    assertMails(ctx, context)
    return context.write(async (tx) => {
      const { user_reference } = context.caller
      if ((await lockSubscription(tx, user_reference)) === undefined) throw missing()
      if ((await countTestMails(tx, user_reference, context.now - 60)) >= TESTS_A_MINUTE)
        throw new Problem('too_many_requests', { detail: 'tests within a minute' })
      await queueTestMail(tx, user_reference, context.now)
      return toResponse(ctx, tx, context)
    })
  },

  checkAlertAddress: check(ctx),
  confirmAlertAddress: confirm(ctx),
})

/** Problems: too_many_requests, wrong_state. */
function check(ctx: Parts): Handler<'checkAlertAddress'> {
  return async (context, { body: { address, language } }) => {
    assertMails(ctx, context)
    const { user_reference } = context.caller
    return context.write(async (tx) => {
      const subscription_id = await ensureSubscription(tx, context, language)
      if ((await countChecks(tx, user_reference, context.now - DAY)) >= CODES_A_DAY)
        throw new Problem('too_many_requests', { detail: 'codes for addresses within a day' })
      await insertCheck(tx, { check_id: newId(), subscription_id, user_reference, address }, context.now)
      return toResponse(ctx, tx, context)
    })
  }
}

/** Each try counts before its code is looked at, also where the call then fails. Problems: invalid_input, wrong_state. */
function confirm(ctx: Parts): Handler<'confirmAlertAddress'> {
  return async (context, { body: { code } }) => {
    const { client_id, user_reference } = context.caller
    assertPerson(context.caller)
    const { subscription_id, last } = await ctx.db.write(client_id, (tx) => takeTry(tx, user_reference))
    if (!isOpen(last, context.now) || !isCodeOf(last, code))
      throw new Problem('invalid_input', { faults: [fault('code', 'wrong_code')] })
    return context.write(async (tx) => {
      if (!(await endCheck(tx, last.check_id))) throw nothingToConfirm()
      await writeConfirmedAddress(tx, subscription_id, last.address, context.now)
      return toResponse(ctx, tx, context)
    })
  }
}

/** The address that waits for its code, as it was before this try. Problem: wrong_state. */
async function takeTry(tx: Tx, user_reference: string) {
  const subscription_id = await lockSubscription(tx, user_reference)
  const last = subscription_id === undefined ? undefined : await findLastCheck(tx, subscription_id)
  if (subscription_id === undefined || !last || last.check_state === 'confirmed') throw nothingToConfirm()
  await countTry(tx, last.check_id)
  return { subscription_id, last }
}

const nothingToConfirm = () => new Problem('wrong_state', { detail: 'no address waits for a code' })

const isOpen = ({ asked_at, tries }: AddressCheck, now: number): boolean =>
  tries < CODE_TRIES && now < asked_at + CODE_SECONDS

const isCodeOf = ({ check_id, code_hash }: AddressCheck, code: string): boolean =>
  code_hash !== null && timingSafeEqual(code_hash, hashCode(check_id, code.replace(/\s/g, '')))

/** The caller's subscription, locked: made where there is none, of no alerts yet. */
async function ensureSubscription(tx: Tx, context: PortalContext, language: Locale): Promise<string> {
  const { user_reference } = context.caller
  const known = await lockSubscription(tx, user_reference)
  if (known !== undefined) return known
  const ids = getIds(context)
  await writeSubscription(tx, ids, { ...NOTHING, language }, context.now)
  return (await lockSubscription(tx, user_reference)) ?? ids.subscription_id
}

const NOTHING = {
  low: 'never',
  medium: 'never',
  high: 'never',
  digest_hour: 6,
  address_source: 'claimed',
} as const

const getIds = ({ caller: { user_reference } }: PortalContext) => ({
  user_reference,
  subscription_id: newId(),
})

/** Problems: not_permitted, wrong_state. */
function assertMails({ mail }: Parts, { caller }: PortalContext): void {
  assertPerson(caller)
  if (!mail) throw new Problem('wrong_state', { detail: 'this installation sends no mails' })
}

const missing = () => new Problem('not_found', { detail: 'no subscription' })

/** What the caller is mailed, and where to. */
async function toResponse(
  { mail }: Parts,
  q: Queryable,
  { caller: { user_reference }, now }: PortalContext,
): Promise<AlertSubscription> {
  const [kept, person] = [
    await findSubscription(q, user_reference),
    await findLastSignIn(q, user_reference, now),
  ]
  const last = kept && (await findLastCheck(q, kept.subscription_id))
  const until = person && person.created_at + MAILED_DAYS * DAY
  const settings = kept ? getSettings(kept) : null
  return {
    version: getVersion(settings),
    can_send: mail !== undefined,
    claimed_address: person && isAddress(person.email) ? person.email : null,
    confirmed_address: kept?.confirmed_address ?? null,
    mailed_until: until !== undefined && until > now ? until : null,
    check: last ? getCheckStatus(last) : null,
    settings,
    waiting: kept?.waiting ?? 0,
    dead: kept?.dead ?? 0,
    last_attempt_at: kept?.last_attempt_at ?? null,
    last_error: kept?.last_error ?? null,
  }
}

function getCheckStatus({
  address,
  asked_at,
  check_state,
  last_error,
}: AddressCheck): AlertSubscription['check'] {
  if (check_state === 'confirmed') return null
  return { address, state: check_state, expires_at: asked_at + CODE_SECONDS, last_error }
}

const getSettings = ({
  language,
  low,
  medium,
  high,
  digest_hour,
  address_source,
}: KeptSubscription): AlertSubscriptionInput => ({ language, low, medium, high, digest_hour, address_source })
