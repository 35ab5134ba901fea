import { RESENDABLE } from '../payload-records/store.ts'
import type { AlertTextCode, FailureCode } from '@custodia/contract'
import type { AlertEvent } from '../alerts/raise.ts'

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
  tampered_data: 'payload_altered',
  truncated_data: 'payload_altered',
  undecryptable_meta: 'payload_altered',
  meta_mismatch: 'payload_altered',
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
    alert_key_type: 'Scoped',
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
