import type { Answer, Api } from '@custodia/contract'

export interface AuditEvent {
  who: string
  /** Recorded action, e.g. `payloads:play`, or `receipt` of an app, or `receipt of person`. */
  action: string
  /** Epoch seconds. */
  time: number
}

/** Portal users' actions and receipts merged by time, newest first. */
export function auditEvents({ records, receipts }: Answer<Api['readPayloadAudit']>): AuditEvent[] {
  return [
    ...records.map(({ portal_user, action, time }) => ({ who: portal_user, action, time })),
    ...receipts.map(({ client_app_user, confirmed_at, is_person }) => ({
      who: client_app_user,
      action: is_person ? 'receipt of person' : 'receipt',
      time: confirmed_at,
    })),
  ].toSorted((a, b) => b.time - a.time)
}
