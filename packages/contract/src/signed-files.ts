/** Every kind of document that the server signs as JSON: its signed member, and title and facts that verifiers show. */
export const SIGNED_FILES = {
  'custodia.access/1': { member: 'report', title: 'Access report', facts: ['payload_reference', 'from', 'to', 'could', 'did'] },
  'custodia.capture/1': { member: 'statement', title: 'Statement of completeness', facts: ['day', 'recorded', 'archived', 'queued', 'explained', 'missing'] },
  'custodia.client-deletion/1': { member: 'certificate', title: 'Certificate of a deleted account', facts: ['proposed_by', 'deleted_by', 'deleted_at'] },
  'custodia.destruction/1': { member: 'certificate', title: 'Certificate of destruction', facts: ['certificate_reference', 'ended_at', 'payloads'] },
  'custodia.recertification/1': { member: 'report', title: 'Recertification of access', facts: ['name', 'started_at', 'ended_at', 'confirmed', 'revoked'] },
  'custodia.reconciliation/1': { member: 'reconciliation', title: 'Reconciliation of a transfer', facts: ['payload_date', 'captured', 'delivered', 'missing'] },
  'custodia.support/1': { member: 'report', title: 'Report of a support session', facts: ['request_reference', 'requested_by', 'step_count', 'started_at'] },
} as const
export type SignedFormat = keyof typeof SIGNED_FILES
/** A member of a signed document that verifiers show, wherever it is in its outer objects. */
export type SignedFact = 'client' | 'issued_at' | (typeof SIGNED_FILES)[SignedFormat]['facts'][number]
