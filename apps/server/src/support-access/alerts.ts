import type { SupportAccess } from '@custodia/contract'
import type { AlertEvent } from '../alerts/raise.ts'

/** Alerts the client's security staff to a request for access. */
export const requestAlert = (
  request: Pick<SupportAccess, 'request_reference' | 'requested_by' | 'requested_at' | 'role'>,
): AlertEvent => ({
  ...about(request.request_reference, request.requested_at),
  text: 'support_requested',
  values: { user: request.requested_by, role: request.role },
})

/** Alerts the provider's staff to an approval: a further occurrence of the same alert. */
export const approvalAlert = (
  { request_reference, requested_by, role, approved_by, approval_expiry }: SupportAccess,
  now: number,
): AlertEvent => ({
  ...about(request_reference, now),
  text: 'support_approved',
  values: {
    user: requested_by,
    role,
    approved_by: approved_by ?? '',
    until: new Date((approval_expiry ?? now) * 1000).toISOString().slice(0, 16).replace('T', ' '),
  },
})

const about = (request_reference: string, now: number) =>
  ({
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_type: 'AccountAlert',
    alert_key: `support-access:${request_reference}`,
    alert_severity: 'Medium',
    related_entities: [{ entity_id: request_reference, entity_type: 'SupportAccessRequest' }],
    now,
  }) as const
