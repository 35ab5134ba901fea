import type { AuthenticateAnswer, AuthenticateRequest, DeviceService } from '@custodia/contract'
import { ulid as newUlid } from 'ulid'
import { raiseAlert } from '../alerts/raise.ts'
import { findClient } from '../clients/store.ts'
import type { House } from '../house.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import type { AuditEntry, Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { DEVICE_TOKEN_SECONDS, issueToken } from './access-token.ts'
import { type Hardware, hardwareOf } from './hardware.ts'
import { installState } from './install-state.ts'
import { grantedTo, unlicensedOf } from './licensed-services.ts'
import { mergePhoneNumbers } from './phone-numbers.ts'
import { openProof, refused } from './proof.ts'
import {
  findDevice,
  findDeviceUser,
  type Holder,
  insertDevice,
  type KnownDevice,
  lockHardware,
  readDefaultGroup,
  recordHolder,
  updateDevice,
  findBelonging,
  useUlid,
} from './store.ts'

/** The phone that is refused. */
interface Blocked {
  blocked: string
}

/** Authenticates a phone: proves the account, finds or creates the device, ties it to its holder, issues a token. */
export async function authenticate(
  house: House,
  context: Context,
  request: AuthenticateRequest,
): Promise<AuthenticateAnswer> {
  const started = performance.now()
  const account = await findClient(house.db, request.account_reference)
  const ulid = await openProof(house.keys, request, account?.account_key, context.now).catch(
    (error: unknown) => {
      if (account) noteRefusal(house, context, account.client, error)
      throw error
    },
  )
  if (!account) throw refused('unknown account')
  const { client_id, client } = account
  const answer = await house.db.write(client_id, async (tx): Promise<AuthenticateAnswer | Blocked> => {
    if (!(await useUlid(tx, ulid, context.now))) {
      const refusal = refused('proof was used before')
      noteRefusal(house, context, client, refusal)
      throw refusal
    }
    const enrolled = await enrol(tx, request, context.now)
    if (enrolled.blocked !== undefined) return { blocked: enrolled.blocked }
    const { device_reference, device_id, known, services } = enrolled
    const access_token = await issueToken(tx, device_id, context.now)
    const seconds = (performance.now() - started) / 1000
    const phone = { client_id, client, device_id, device_reference }
    await house.audit.appendWithin(tx, await auditEntry(tx, context, phone, request, seconds))
    return {
      access_token,
      expires_in: DEVICE_TOKEN_SECONDS,
      client_portal_url: house.config.clientPortalUrl,
      enabled_services: services as DeviceService[],
      account_reference: client,
      device_reference,
      install_state: installState(hardwareOf(request).installation_id, known),
    }
  })
  if (!('blocked' in answer)) return answer
  // Thrown only now: the alert of it stays.
  const refusal = refused(`${answer.blocked} is blocked`)
  noteRefusal(house, context, client, refusal)
  throw refusal
}

/**
 * Refusals stand in the log: whoever could not prove the account is nobody, and nobody may fill a client's activity, nor claim a device
 * in it.
 */
function noteRefusal(house: House, context: Context, client: string, error: unknown): void {
  if (!(error instanceof Problem) || error.code !== 'device_authentication_required') return
  const { request_id } = context
  house.log.warn({ client, reason: error.detail, request_id }, 'a device authentication was refused')
}

async function enrol(tx: Tx, request: AuthenticateRequest, now: number) {
  const hardware = hardwareOf(request)
  await lockHardware(tx, hardware)
  const known = await findDevice(tx, hardware)
  if (known && known.blocked_at !== null) {
    await tellOfBlocked(tx, known, now)
    return { blocked: known.device_reference }
  }
  const holder = await holderOf(tx, request, known)
  const device_reference = known?.device_reference ?? newUlid()
  const granted = await grantedTo(tx, holder, known)
  const unlicensed_services = await unlicensedOf(tx, { device_reference, known, holder, granted, now })
  const state = {
    unlicensed_services,
    ...holder,
    ...mergedHardware(hardware, known),
    request,
    phone_numbers: mergePhoneNumbers(known?.phone_numbers ?? [], request.phone_numbers, now),
    now,
  }
  let device_id = known?.device_id
  if (device_id === undefined) device_id = await insertDevice(tx, device_reference, state)
  else await updateDevice(tx, device_id, state)
  await recordHolder(tx, device_id, holder, now)
  const services = granted.filter((service) => !unlicensed_services.includes(service))
  return { device_reference, device_id, known, services }
}

/** A phone that was reported lost or stolen is being used. */
const tellOfBlocked = (tx: Tx, { device_reference, group_id }: KnownDevice, now: number): Promise<void> =>
  raiseAlert(tx, {
    alert_type: 'DeviceAlert',
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: `blocked ${device_reference}`,
    text: 'blocked_device_seen',
    values: { device_reference },
    alert_severity: 'High',
    related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
    group_id,
    now,
  })

/** A phone that gives no address keeps its holder; one that gives an unknown address belongs to nobody yet. */
async function holderOf(
  tx: Tx,
  { email }: AuthenticateRequest,
  known: KnownDevice | undefined,
): Promise<Holder> {
  if (!email && known) return { device_user_id: known.device_user_id, group_id: known.group_id }
  const user = email ? await findDeviceUser(tx, email) : undefined
  if (user) return { device_user_id: user.device_user_id, group_id: user.group_id }
  return { device_user_id: null, group_id: await readDefaultGroup(tx) }
}

/** A phone without its second SIM tray, or without the right to read its IMEI, is still the phone with these IMEIs. */
function mergedHardware(hardware: Hardware, known: KnownDevice | undefined): Hardware {
  return { ...hardware, imeis: hardware.imeis.length > 0 ? hardware.imeis : (known?.imeis ?? []) }
}

async function auditEntry(
  tx: Tx,
  context: Context,
  phone: { client_id: number; client: string; device_id: number; device_reference: string },
  request: AuthenticateRequest,
  duration: number,
): Promise<AuditEntry> {
  const names = await findBelonging(tx, phone.device_id)
  if (!names) throw new Error('the device is gone')
  return {
    log_id: newLogId(),
    caller: { kind: 'device', ...phone, ...names },
    ip: context.ip,
    browser: context.request.headers['user-agent']?.slice(0, 255),
    activity_time: context.now,
    activity_end_time: context.now,
    duration,
    action: 'POST authenticate',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: request }, ['ulid_encrypted', 'fcm_token']),
    status_code: 200,
    request_id: context.request_id,
  }
}
