import type { X509Certificate } from 'node:crypto'
import {
  api,
  type AuthenticateAnswer,
  type AuthenticateRequest,
  type DeviceService,
} from '@custodia/contract'
import { ulid as newUlid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { noteUse } from '../device-records/enrolments-store.ts'
import { getHardware } from '../device-records/hardware.ts'
import {
  findBelonging,
  findDeviceUser,
  insertDevice,
  recordHolder,
  updateDevice,
  useUlid,
} from '../device-records/store.ts'
import { endTokens } from '../device-records/token-store.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import type { AuditEntry, Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { DEVICE_TOKEN_SECONDS, issueToken } from './access-token.ts'
import { attestationError, type FindParty, provenAddress } from './attestation.ts'
import {
  type IdentifiedDevice,
  type VerifiedHolder,
  alertOnBlocked,
  alertOnForeignHardware,
  alertOnUnnamed,
  alertOnWaiting,
  identifyDevice,
  unlicensedServices,
} from './identify-device.ts'
import { askForHolder, beginWaiting, noteAttested, pinKey, replaceDevice } from './identity-store.ts'
import { noteReportedNumbers } from './numbers/numbers.ts'
import {
  notEnrolled,
  openProof,
  provenKey,
  redeem,
  type RedeemedEnrolment,
  refused,
} from './redeem-enrolment.ts'

/** The refusal of a device. The transaction still commits its alert. */
interface Refusal {
  refusal: Problem
}

/** Authenticates a device: verifies the account, identifies the device, assigns its holder and issues a token. */
export async function authenticate(
  ctx: AppContext,
  { roots, findParty }: { roots: readonly X509Certificate[]; findParty: FindParty },
  context: Context,
  request: AuthenticateRequest,
): Promise<AuthenticateAnswer> {
  const started = performance.now()
  const found = await findClient(ctx.db, request.account_reference)
  const account = found?.deleted_at === null ? found : undefined
  const { ulid, device_key } = await getProof(ctx, request, account?.account_key, context.now).catch(
    (error: unknown) => {
      if (account) noteRefusal(ctx, context, account.client, error)
      throw error
    },
  )
  if (!account) throw request.enrolment ? notEnrolled('unknown account') : refused('unknown account')
  const { client_id, client } = account
  const address = await provenAddress(ctx, findParty, account, request).catch((error: unknown) => {
    noteRefusal(ctx, context, client, error)
    throw error
  })
  const isHardware = await isAttested(ctx, roots, context, { request, device_key, client })
  const answer = await ctx.db.write(client_id, async (tx): Promise<AuthenticateAnswer | Refusal> => {
    if (!(await useUlid(tx, ulid, context.now))) {
      const refusal = refused('proof was used before')
      noteRefusal(ctx, context, client, refusal)
      throw refusal
    }
    const redeemed = await redeem(tx, request, { client, device_key, now: context.now })
    if (redeemed && 'refused' in redeemed) return { refusal: notEnrolled(redeemed.refused) }
    const verifiedHolder = await getVerifiedHolder(tx, request, redeemed, address)
    const enrolled = await enrol(tx, request, device_key, context.now, { redeemed, verifiedHolder })
    if (enrolled.refusal) return { refusal: enrolled.refusal }
    if (isHardware) await noteAttested(tx, enrolled.device_id, context.now)
    const { device_reference, device_id, known, services } = enrolled
    const access_token = await issueToken(tx, device_id, context.now)
    const seconds = (performance.now() - started) / 1000
    const device = { client_id, client, device_id, device_reference }
    await ctx.audit.appendWithin(tx, await auditEntry(tx, context, device, request, redeemed, seconds))
    return {
      access_token,
      expires_in: DEVICE_TOKEN_SECONDS,
      client_portal_url: ctx.config.clientPortalUrl,
      enabled_services: services as DeviceService[],
      account_reference: client,
      device_reference,
      install_state: installState(getHardware(request).installation_id, known),
    }
  })
  if (!('refusal' in answer)) return answer
  // Thrown after the commit, so that the alert is stored.
  noteRefusal(ctx, context, client, answer.refusal)
  throw answer.refusal
}

/** An invalid chain does not refuse the device. The server then identifies it by its key alone and logs the reason. */
async function isAttested(
  { keys, log }: Pick<AppContext, 'keys' | 'log'>,
  roots: readonly X509Certificate[],
  { now, request_id }: Context,
  {
    request: { attestation },
    device_key,
    client,
  }: { request: AuthenticateRequest; device_key: string; client: string },
): Promise<boolean> {
  if (!attestation) return false
  const warning = await attestationError({ keys, roots }, { chain: attestation, device_key, now })
  if (warning !== undefined)
    log.info({ client, reason: warning, request_id }, 'the attestation of a device is invalid')
  return warning === undefined
}

/** Opens the sealed ULID first: a caller without the secret learns nothing about signatures. */
async function getProof(
  { keys }: Pick<AppContext, 'keys'>,
  request: AuthenticateRequest,
  account_key: Buffer | undefined,
  now: number,
) {
  const ulid = await openProof(keys, request, account_key, now)
  return { ulid, device_key: provenKey(request) }
}

/** Only logs the refusal: an unproven caller must not fill a client's audit log or claim a device in it. */
function noteRefusal(ctx: AppContext, context: Context, client: string, error: unknown): void {
  if (!(error instanceof Problem) || !REFUSALS.has(error.code)) return
  const { request_id } = context
  ctx.log.warn({ client, reason: error.detail, request_id }, 'device authentication refused')
}

const REFUSALS: ReadonlySet<string> = new Set([
  'device_authentication_required',
  'enrolment_refused',
  'sign_in_refused',
])

/**
 * Returns the verified holder: from a personal enrolment, the sign-in, or an enrolment that matches the claimed email.
 */
async function getVerifiedHolder(
  tx: Tx,
  { email }: Pick<AuthenticateRequest, 'email'>,
  redeemed: RedeemedEnrolment | undefined,
  address: string | undefined,
): Promise<VerifiedHolder | undefined> {
  if (redeemed?.person) return { by: 'enrolment', person: redeemed.person }
  const by = address !== undefined ? 'sign_in' : redeemed?.verified
  const whose = address ?? email
  if (!by || !whose) return undefined
  const person = await findDeviceUser(tx, whose)
  return person && { by, person }
}

async function enrol(
  tx: Tx,
  request: AuthenticateRequest,
  device_key: string,
  now: number,
  {
    redeemed,
    verifiedHolder,
  }: { redeemed: RedeemedEnrolment | undefined; verifiedHolder: VerifiedHolder | undefined },
) {
  const found = await identifyDevice(tx, request, device_key, verifiedHolder)
  if ('blocked' in found) {
    const { device_reference, group_id } = found.blocked
    await alertOnBlocked(tx, { device_reference, group_id, now })
    return { refusal: refused(`${device_reference} is blocked`) }
  }
  const { known, holder, granted, hardware, waiting, claimed, replaced } = found
  const device_reference = known?.device_reference ?? newUlid()
  const unlicensed_services = await unlicensedServices(tx, {
    device_reference,
    // Until the confirmation, the device uses the licences of the device that it claims or replaces.
    known: known ?? claimed ?? replaced,
    holder,
    granted,
    now,
  })
  const state = { unlicensed_services, ...holder, ...hardware, request, now }
  let device_id = known?.device_id
  if (device_id === undefined) device_id = await insertDevice(tx, device_reference, state)
  else await updateDevice(tx, device_id, state)
  await pinKey(tx, device_id, device_key, now)
  if (waiting) await beginWaiting(tx, device_id, waiting, now)
  if (replaced) {
    await replaceDevice(tx, replaced.device_id, device_id, { updated_at: now, updated_by: 'device' })
    await endTokens(tx, [replaced.device_id])
  }
  if (redeemed) await noteUse(tx, redeemed.enrolment_id, device_id, now)
  await recordHolder(tx, device_id, holder, now)
  await noteReportedNumbers(tx, {
    device_id,
    device_reference,
    group_id: holder.group_id,
    is_waiting: waiting !== undefined || (known !== undefined && known.waiting_since !== null),
    phone_numbers: request.phone_numbers,
    now,
  })
  await alertOnWarnings(tx, { device_id, device_reference, now }, found)
  const services = granted.filter((service) => !unlicensed_services.includes(service))
  return { device_reference, device_id, known, services }
}

/** Raises the alerts that people must look at; the device does not learn of them. */
async function alertOnWarnings(
  tx: Tx,
  { device_id, device_reference, now }: { device_id: number; device_reference: string; now: number },
  { known, holder, waiting, claimed, named, owner_of_numbers }: IdentifiedDevice,
): Promise<void> {
  const about = { device_reference, group_id: holder.group_id, now }
  const device_user_reference = named?.device_user_reference
  if (waiting)
    await alertOnWaiting(tx, about, waiting.reason, {
      other: claimed?.device_reference,
      device_user_reference,
    })
  const isOtherRequest = known?.waiting_reason && named && named.device_user_id !== known.requested_user_id
  if (!waiting && isOtherRequest) {
    await askForHolder(tx, device_id, named.device_user_id)
    await alertOnWaiting(tx, about, 'holder', { device_user_reference })
  }
  if (owner_of_numbers) await alertOnForeignHardware(tx, about, owner_of_numbers.device_reference)
  if (named === null && holder.device_user_id !== null) await alertOnUnnamed(tx, about)
}

async function auditEntry(
  tx: Tx,
  context: Context,
  device: { client_id: number; client: string; device_id: number; device_reference: string },
  request: AuthenticateRequest,
  redeemed: RedeemedEnrolment | undefined,
  duration: number,
): Promise<AuditEntry> {
  const names = await findBelonging(tx, device.device_id)
  if (!names) throw new Error('the device does not exist')
  return {
    log_id: newLogId(),
    caller: { kind: 'device', ...device, ...names },
    ip: context.ip,
    browser: context.request.headers['user-agent']?.slice(0, 255),
    activity_time: context.now,
    activity_end_time: context.now,
    duration,
    action: 'POST authenticate',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters(
      { body: request, enrolment_reference: redeemed?.enrolment_reference },
      api.authenticateDevice.secrets,
    ),
    status_code: 200,
    request_id: context.request_id,
  }
}

type InstallState = AuthenticateAnswer['install_state']

/**
 * Installation state of an authentication (reading-the-spec, "Phones"). `known` is undefined for a new device; an
 * imported device was never activated.
 */
function installState(
  installation_id: string | null | undefined,
  known: { installation_id: string | null; activated_at: number | null } | undefined,
): InstallState {
  if (!installation_id) return 'NoInstallationId'
  if (!known || known.activated_at === null) return 'NewInstall'
  const changed = known.installation_id !== null && known.installation_id !== installation_id
  return changed ? 'FactoryReset' : 'NoChange'
}
