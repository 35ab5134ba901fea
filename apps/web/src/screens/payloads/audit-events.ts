import type { PayloadAudit, PlayedPart } from '@custodia/contract'

export interface AuditEvent {
  /** Name of the person or app, else its reference. */
  who: string
  /** Recorded action, e.g. `payloads:play`, or `receipt` of an app, or `receipt of person`. */
  action: string
  /** Epoch seconds. */
  time: number
  /** Of a mark: which ones, separated by spaces. Of a download: its export. */
  detail: string | null
  /** At the last play of a person: all that they have heard. */
  heard?: readonly PlayedPart[]
}

/**
 * Portal users' actions and receipts merged by time, newest first.
 * @param isPlayed whether it is heard; a photo or message is opened
 */
export function auditEvents({ records, receipts, listeners }: PayloadAudit, isPlayed: boolean): AuditEvent[] {
  const heard = new Map(listeners.map(({ heard_by, parts }) => [heard_by, parts]))
  const played = records.map(({ portal_user, name, action, time, detail }): AuditEvent => {
    const parts = action === 'payloads:play' ? heard.get(portal_user) : undefined
    // Records are newest first.
    if (parts) heard.delete(portal_user)
    const shown = action === 'payloads:play' && !isPlayed ? 'payloads:read' : action
    return { who: name ?? portal_user, action: shown, time, detail, ...(parts && { heard: parts }) }
  })
  return [
    ...played,
    ...receipts.map(({ client_app_user, client_app_user_name, confirmed_at, is_person }) => ({
      who: (is_person ? client_app_user_name : undefined) ?? client_app_user,
      action: is_person ? 'receipt of person' : 'receipt',
      time: confirmed_at,
      detail: null,
    })),
  ].toSorted((a, b) => b.time - a.time)
}
