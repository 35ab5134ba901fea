import type { ApprovalState, SupportAccess } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { session } from './current-session.ts'
import { internalApi } from './internal-api.ts'
import { goTo } from './navigate.ts'
import { showNotice } from './notices.ts'
import { profileQuery, readProfile } from './queries.ts'
import { queryClient } from './query-client.ts'

/**
 * Starts support mode for a client: stores the reference, reloads the profile, opens the dashboard (spec section 4).
 * Throws, and changes nothing, when the server rejects it.
 */
export async function startSupportMode({
  client,
  request_reference,
}: Pick<SupportAccess, 'client' | 'request_reference'>): Promise<void> {
  await internalApi.startSupportMode({ params: { client, request_reference } })
  session.beginSupport(request_reference, client)
  try {
    await readProfile()
  } catch (error) {
    if (session.supportReference() === request_reference) session.endSupport()
    throw error
  }
  // Searches and lists of the client before must not reach this one.
  await goTo('/dashboard', true)
}

/** Ends support mode (spec section 4), also when the server is unreachable. Throws when not in support mode (spec section 8). */
export async function endSupportMode(): Promise<void> {
  const request_reference = session.supportReference()
  const client = session.client()
  if (request_reference === undefined) return session.endSupport()
  await internalApi
    .endSupportMode({ params: { client, request_reference } })
    .catch((error: unknown) => console.error(error))
  // A rejected call may have ended support mode meanwhile, with its own notice.
  if (session.supportReference() !== request_reference) return
  session.endSupport()
  await returnHome(() => noticeEnd())
}

/** Ends support mode after the server rejected a call, and says why. */
export async function leaveRefusedSupport(): Promise<void> {
  const request_reference = session.supportReference()
  // Several calls may be rejected at once; the first one leaves.
  if (request_reference === undefined) return
  const client = session.client()
  const name = queryClient.getQueryData(profileQuery.queryKey)?.client_name ?? client
  session.endSupport()
  const request = await internalApi
    .readSupportAccessOfClient({ params: { client, request_reference } })
    .catch((error: unknown) => console.error(error))
  await returnHome(() => noticeEnd(request ? request.approval_state : 'unknown', name))
}

/** Says that support mode ended; `why` is the server's reason, absent when staff ended it. */
function noticeEnd(why?: ApprovalState | 'unknown', client = ''): void {
  const id = 'ending support mode'
  const title = i18n._(msg`Ending support mode`)
  if (why === undefined) return showNotice({ kind: 'support ended', id, message: title })
  const reasons: Partial<Record<ApprovalState | 'unknown', string>> = {
    revoked: i18n._(msg`${client} revoked the access.`),
    expired: i18n._(msg`The time approved by ${client} has expired.`),
  }
  const message = reasons[why] ?? i18n._(msg`Support access has ended or was revoked.`)
  showNotice({ kind: 'support refused', id, title, message })
}

async function returnHome(notice: () => void): Promise<void> {
  notice()
  await reloadProfile().catch((error: unknown) => {
    // Only logged (spec section 8): the next page retries.
    console.error(error)
    queryClient.clear()
  })
  await goTo('/internal/support')
}

/** Clears the cache after the new profile arrives: one client's data must not show under another. */
async function reloadProfile(): Promise<void> {
  const profile = await readProfile()
  await queryClient.cancelQueries()
  queryClient.clear()
  queryClient.setQueryData(profileQuery.queryKey, profile)
}
