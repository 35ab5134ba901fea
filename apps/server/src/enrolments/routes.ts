import {
  type Api,
  BATCH_LIMIT,
  DAY,
  type Enrolment,
  fault,
  FILTER_LIMIT,
  type HandlerInput,
  type NewEnrolment,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import {
  countEnrolments,
  type EnrolmentRecord,
  findEnrolment,
  issueEnrolment,
  listEnrolments as readEnrolments,
  noteOpened,
  revokeEnrolment as revoke,
  getSecret,
} from '../device-records/enrolments-store.ts'
import { deviceNames } from '../device-records/names-store.ts'
import {
  type DeviceUserRecord,
  findUser,
  findUsers,
  lockUsers,
  getUserFilter,
} from '../device-users/store.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import { getActor, type Handler, marked, type PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { maySee, Problem, refusalOf, withinReach } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { isMailed, type MailedEnrolment, mailEnrolment } from './jobs.ts'

type Parts = Pick<AppContext, 'audit' | 'config' | 'cursors' | 'db' | 'jobs' | 'mail'>

/** Enrolment routes. */
export const enrolmentRoutes = (ctx: Parts) => ({
  listEnrolments: listEnrolments(ctx),
  readEnrolment,
  createEnrolment: createEnrolment(ctx),
  createEnrolmentOfUser: createEnrolmentOfUser(ctx),
  enrolUsers: enrolUsers(ctx),
  revokeEnrolment,
  openEnrolment: openEnrolment(ctx),
})

/** Newest first; account enrolments only for callers without conditions. */
function listEnrolments({ cursors }: Parts): Handler<'listEnrolments'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { device_user_reference, states } = query
    const reach = access.groups('devices.enrolments:list')
    const filter = { reach, device_user_reference, states, now: context.now }
    if (query.type === 'total')
      return { total: await context.readFromReplica((q) => countEnrolments(q, filter)) }
    const page = await getPage(
      cursors,
      { name: 'enrolments', client_id, query },
      (from: readonly [number] | undefined, limit) =>
        context.readFromReplica((q) => readEnrolments(q, filter, { before: from?.[0], limit })),
      ({ enrolment_id }) => [enrolment_id] as const,
    )
    return { ...page, data: await named(context, page.data) }
  }
}

const readEnrolment: Handler<'readEnrolment'> = async (context, { params: { enrolment_reference } }) => {
  const found = await context.read((q) => enrolmentWithin(context, q, enrolment_reference))
  const [enrolment = toResponse(context, found)] = await named(context, [found])
  return enrolment
}

/** The wire form of enrolments, with the names of their devices as far as the caller may see them. */
async function named(context: PortalContext, records: readonly EnrolmentRecord[]): Promise<Enrolment[]> {
  const enrolments = records.map((each) => toResponse(context, each))
  const references = enrolments.flatMap(({ devices }) =>
    devices.flatMap((device) => device.device_reference ?? []),
  )
  const names = await context.read((q) => deviceNames(q, context.caller.access, references))
  return enrolments.map((enrolment) => ({
    ...enrolment,
    devices: enrolment.devices.map((device) => {
      const device_name = names.get(device.device_reference ?? '')?.name
      return { ...device, ...(device_name !== undefined && { device_name }) }
    }),
  }))
}

/** For a rollout: devices wait for confirmation, or belong to the user whose email they claim. */
const createEnrolment =
  (ctx: Parts): Handler<'createEnrolment'> =>
  (context, { body }) =>
    context.write((tx) => make(ctx, context, tx, { ...body, device_user_id: null }))

/** For one device of a user. Problems: not_found, not_permitted, wrong_state after offboarding. */
const createEnrolmentOfUser =
  (ctx: Parts): Handler<'createEnrolmentOfUser'> =>
  (context, { params: { device_user_reference }, body }) =>
    context.write(async (tx) => {
      const user = withinReach(context, await findUser(tx, device_user_reference, true), 'users')
      if (!user.is_active) throw new Problem('wrong_state', { detail: 'offboarded' })
      return make(ctx, context, tx, ofUser(user, body))
    })

/** An enrolment for one device of a user. */
const ofUser = (
  { device_user_id }: DeviceUserRecord,
  { expires_in_days, description }: Pick<EnrolmentOptions, 'expires_in_days' | 'description'>,
): EnrolmentOptions => ({ expires_in_days, description, device_user_id, max_uses: 1, matches_email: false })

/**
 * For one device of each of these users, or each one that matches the filter, as far as the caller may. A worker creates and mails the codes that go by mail. Problem:
 * invalid_input, without a mail server.
 */
const enrolUsers =
  (ctx: Parts): Handler<'enrolUsers'> =>
  (context, { query: { client: _client, ...filters }, body }) =>
    context.write(async (tx) => {
      const { channel, device_user_references } = body
      if (channel === 'mail' && !ctx.mail)
        throw new Problem('invalid_input', { faults: [fault('channel', 'no_mail_server')] })
      const limit = channel === 'mail' ? FILTER_LIMIT : BATCH_LIMIT
      const found = device_user_references
        ? await findUsers(tx, device_user_references, true)
        : await lockUsers(tx, getUserFilter(context.caller.access, filters), limit + 1)
      const users = new Map(found.slice(0, limit).map((user) => [user.device_user_reference, user]))
      const data = []
      const mails: MailedEnrolment[] = []
      for (const device_user_reference of device_user_references ?? users.keys())
        data.push({
          device_user_reference,
          ...(await enrolUser(ctx, context, tx, users.get(device_user_reference), { ...body, mails })),
        })
      if (mails.length > 0) await ctx.jobs.send(tx, mailEnrolment, ...mails)
      context.noteFacts({ users: data.filter(({ status }) => status === 'Ok').length })
      return { data, is_cut: found.length > users.size }
    })

async function enrolUser(
  ctx: Parts,
  context: PortalContext,
  tx: Tx,
  user: DeviceUserRecord | undefined,
  body: HandlerInput<Api['enrolUsers']>['body'] & { mails: MailedEnrolment[] },
) {
  const { caller, action } = context
  if (!user || !caller.access.permits(action, user)) {
    const isSeen = user !== undefined && maySee(caller.access, 'users', user)
    return { status: isSeen ? ('NotPermitted' as const) : ('NoMatchingRecord' as const) }
  }
  const person_name = [user.first_name, user.surname].filter(Boolean).join(' ') || undefined
  if (!user.is_active) return { status: 'Offboarded' as const, person_name }
  const { channel, device_user_references: _all, mails, ...wanted } = body
  if (channel === 'sheet')
    return { status: 'Ok' as const, enrolment: await make(ctx, context, tx, ofUser(user, wanted)) }
  if (!isMailed(user)) return { status: 'NoAddress' as const, person_name }
  const { client_id, client } = caller
  const { device_user_reference } = user
  const of = { client_id, client, device_user_reference, created_by: getActor(caller) }
  mails.push({ ...of, ...wanted })
  return { status: 'Ok' as const }
}

interface EnrolmentOptions {
  expires_in_days: number
  device_user_id: number | null
  max_uses: number | null
  matches_email: boolean
  description: string | null
}

/** The answer is the only one that contains the secret; the database stores its hash. */
async function make(
  { config }: Parts,
  context: PortalContext,
  tx: Tx,
  { expires_in_days, ...wanted }: EnrolmentOptions,
): Promise<NewEnrolment> {
  const { caller, now } = context
  const { enrolment_reference, text } = await issueEnrolment(
    tx,
    { server_url: config.clientPortalUrl, client: caller.client },
    { ...wanted, created_at: now, created_by: getActor(caller), expires_at: now + expires_in_days * DAY },
  )
  const stored = await findEnrolment(tx, enrolment_reference, now)
  if (!stored) throw new Error('the enrolment was not stored')
  return { ...toResponse(context, stored), text }
}

/** Revokes an enrolment. Idempotent; an ended one stays unchanged. */
const revokeEnrolment: Handler<'revokeEnrolment'> = (context, { params: { enrolment_reference } }) =>
  context.write(async (tx) => {
    await enrolmentWithin(context, tx, enrolment_reference, 'devices.enrolments')
    const { now, caller } = context
    await revoke(tx, enrolment_reference, { updated_at: now, updated_by: getActor(caller) })
    return toResponse(context, await enrolmentWithin(context, tx, enrolment_reference))
  })

/** Actor of the audit entry: the link does not prove who opened it. */
const LINK = marked('enrolment link', 'system')

/** Notes the first time that the link of an enrolment is opened. Each answer is the same. */
function openEnrolment({ audit, db }: Parts): Handler<'openEnrolment'> {
  return async (context, { body: { account_reference, enrolment } }) => {
    const account = await findClient(db, account_reference)
    if (!account || account.deleted_at !== null) return {}
    const { client_id } = account
    const presented = getSecret(enrolment)
    await db.write(client_id, async (tx) => {
      const opened = await noteOpened(tx, presented, context.now)
      if (!opened) return
      const { device_user_reference, group_reference: user_group, group_id } = opened
      const { enrolment_reference } = presented
      await audit.appendWithin(tx, {
        log_id: newLogId(),
        caller: { kind: 'portal', client_id, user_reference: LINK, user_group, group_id, roles: [] },
        ip: context.ip,
        browser: context.request.headers['user-agent']?.slice(0, 255),
        activity_time: context.now,
        activity_end_time: context.now,
        duration: 0,
        action: 'POST enrolments/opened',
        is_allowed: true,
        denial_reason: null,
        parameters: loggedParameters({ params: { enrolment_reference, device_user_reference } }, []),
        status_code: 200,
        request_id: context.request_id,
      })
    })
    return {}
  }
}

/** Problems: as `refusalOf`; an account enrolment needs a right without conditions. */
async function enrolmentWithin(
  context: PortalContext,
  q: Queryable,
  enrolment_reference: string,
  noun?: 'devices.enrolments',
): Promise<EnrolmentRecord> {
  const { caller, action, now } = context
  const found = await findEnrolment(q, enrolment_reference, now)
  const { group_id } = found ?? {}
  const isReached =
    found &&
    (typeof group_id === 'number'
      ? caller.access.permits(action, { group_id })
      : caller.access.allowsGroupless(action))
  if (!found || !isReached)
    throw refusalOf(context, typeof group_id === 'number' ? { group_id } : undefined, noun)
  return found
}

/** Wire form of an enrolment. A device outside the caller's groups has no reference. */
function toResponse(
  { caller, action }: Pick<PortalContext, 'caller' | 'action'>,
  { enrolment_id: _id, group_id: _group, devices, ...enrolment }: EnrolmentRecord,
): Enrolment {
  return {
    ...enrolment,
    devices: devices.map(({ group_id, ...device }) =>
      caller.access.permits(action, { group_id })
        ? device
        : { ...device, device_reference: null, device_user_reference: null, model: null },
    ),
  }
}
