import type { SupportAccess, SupportAccessDecision } from '@custodia/contract'
import { api } from '../../api/api.ts'

/** Approves, rejects or revokes. */
export function decide(request_reference: string, body: SupportAccessDecision): Promise<SupportAccess> {
  // One function for all decisions: the call type would need one each.
  const call = { params: { request_reference }, query: {}, body } as Parameters<
    typeof api.decideSupportAccess
  >[0]
  return api.decideSupportAccess(call)
}
