import { ALTERED_FAILURES, type AlertTextCode, type FailureCode, type PayloadType } from '@custodia/contract'
import type { AlertEvent } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { STATE_CODES, typeOfCode } from '../../payload-records/codes.ts'
import { RESENDABLE } from '../../payload-records/store.ts'
import type { KeptDeviceDek } from '../../ports/keys/device-dek.ts'
import { originalKey } from '../original-key.ts'

/** Whether the device is asked to send the data of a failed payload again. */
export const isResendable = (failure: string | null | undefined): boolean => RESENDABLE.has(failure ?? '')

/** The payload cannot be processed, and these bytes never will be. */
export class ProcessingFailure extends Error {
  override name = 'ProcessingFailure'
  readonly code: FailureCode
  constructor(code: FailureCode, detail: string) {
    super(detail)
    this.code = code
  }
}

/** Security failures: malware, and data that was altered after the device sealed it. */
const ALERT_TEXT: Partial<Record<FailureCode, AlertTextCode>> = {
  malware_found: 'payload_infected',
  ...Object.fromEntries(ALTERED_FAILURES.map((failure) => [failure, 'payload_altered' as const])),
}

/** Alerts the client's staff about a failed payload. */
export function failureAlert(
  {
    payload_reference,
    device_reference,
    group_id,
  }: { payload_reference: string; device_reference: string; group_id: number },
  failure: FailureCode,
  now: number,
): AlertEvent {
  const text = ALERT_TEXT[failure] ?? 'payload_failed'
  const isSecurity = text !== 'payload_failed'
  return {
    group_id,
    alert_scopes: [isSecurity ? 'sec' : 'ops'],
    // The provider also sees operational failures, but not the client's security failures.
    alert_targets: isSecurity ? ['client'] : ['client', 'admin'],
    alert_type: 'PayloadAlert',
    // One faulty device may fail a thousand times: each is an occurrence of one alert, and the lists show
    // them.
    alert_key: `${failure} ${device_reference}`,
    text,
    values: { payload_reference, failure },
    alert_severity: isSecurity ? 'High' : 'Medium',
    related_entities: [
      { entity_id: payload_reference, entity_type: 'Payload' },
      { entity_id: device_reference, entity_type: 'Device' },
    ],
    now,
  }
}

/** A payload to process, with its announcement. */
export interface Subject extends KeptDeviceDek {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  type: number
  state: number
  service: number
  group_id: number
  /** The list's time. */
  payload_time: number
  /** The announced time. */
  reported_time: number
  /** The announced one. */
  payload_end_time: number | null
  announced_at: number
  uploaded_at: number | null
  is_legacy: boolean
  device_reference: string
  key_id: string
  /** Whether the public key that wraps the data key was issued to this client. */
  is_own_key: boolean
  iv: string
  /** Base64. */
  meta: string
  checksum: string
  size: number
  /** Key of the sealed bytes. */
  object_key: string
}

/** Those of these payloads that are in a state for processing. */
export async function findSubjects(
  ctx: AppContext,
  client_id: number,
  payload_ids: readonly number[],
): Promise<Subject[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<Omit<Subject, 'payload_type' | 'object_key'> & { rejected_count: number }>(SUBJECT, [
      client_id,
      payload_ids,
    ]),
  )
  return rows.map(({ rejected_count, ...subject }) => ({
    ...subject,
    payload_type: typeOfCode(subject.type),
    object_key: originalKey(subject.client, subject.payload_reference, rejected_count),
  }))
}

const SUBJECT = `
  select p.client_id, c.client, p.payload_id, p.payload_reference, p.type, p.state, p.service, p.group_id, p.payload_time,
    coalesce(p.claimed_time, p.payload_time) as reported_time, p.payload_end_time, p.announced_at, p.uploaded_at, p.is_legacy, v.device_reference,
    p.rejected_count, e.key_id, k.key_id is not null as is_own_key, e.encrypted_dek, e.dek_key, e.iv, encode(e.sealed_meta, 'base64') as meta,
    coalesce(encode(e.checksum, 'hex'), '') as checksum, coalesce(e.size, 0) as size
  from payloads p join clients c using (client_id) join payload_envelopes e using (payload_id)
  join devices v on v.client_id = p.client_id and v.device_id = p.device_id
  left join client_keys k on k.key_id = e.key_id and k.client_id = p.client_id
  where p.client_id = $1 and p.payload_id = any($2) and p.state in (${STATE_CODES.Uploaded}, ${STATE_CODES.Scanning})`

/** Attempts that may crash the process before the content is not tried again. */
const MAX_CRASHES = 3

type Key = Pick<Subject, 'client_id' | 'payload_id'>

/**
 * Stores durably that a risky read begins, so that an attempt that crashes the process counts. Throws
 * ProcessingFailure after too many.
 */
export async function beginAttempt(
  ctx: Pick<AppContext, 'db'>,
  { client_id, payload_id }: Key,
): Promise<void> {
  const { rows } = await ctx.db.write(client_id, (tx) =>
    tx.query<{ crashes: number }>(
      `update payload_work set begun = begun + 1 where client_id = $1 and payload_id = $2 returning begun - 1 as crashes`,
      [client_id, payload_id],
    ),
  )
  const crashes = rows[0]?.crashes ?? 0
  if (crashes >= MAX_CRASHES)
    throw new ProcessingFailure('processing_crashed', `${crashes} attempts ended with their process`)
}

/** Resets the attempts when a service was unavailable, because the content is not at fault. */
export async function forgetAttempts(
  ctx: Pick<AppContext, 'db'>,
  { client_id, payload_id }: Key,
): Promise<void> {
  await ctx.db.write(client_id, (tx) =>
    tx.query('update payload_work set begun = 0 where client_id = $1 and payload_id = $2 and begun > 0', [
      client_id,
      payload_id,
    ]),
  )
}
