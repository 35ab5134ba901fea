import type { SupportAccess, SupportAccessDecision } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { queryClient } from '../../api/query-client.ts'
import { refreshLists } from '../../components/lists/refresh-list.ts'

/** Key of the list of requests. */
export const SUPPORT_LIST = 'support-access'

export const supportQueryKey = (reference: string) => ['support-access', reference] as const

/** Approves, rejects or revokes, and reads again whatever shows the request. */
export async function decide(request_reference: string, body: SupportAccessDecision): Promise<SupportAccess> {
  // One call for all decisions: the type of the call would have each on its own.
  const call = { params: { request_reference }, query: {}, body } as Parameters<
    typeof api.decideSupportAccess
  >[0]
  const decided = await api.decideSupportAccess(call)
  queryClient.setQueryData(supportQueryKey(request_reference), decided)
  await refreshLists(SUPPORT_LIST)
  return decided
}
