import type { SupportAccess } from '@custodia/contract'
import { session } from './current-session.ts'
import { internalApi } from './internal-api.ts'
import { goTo } from './navigate.ts'
import { noticeEndingSupportMode } from './notices.ts'
import { profileQuery, readProfile } from './queries.ts'
import { queryClient } from './query-client.ts'

/**
 * Staff begin to act within a client: stores the support reference and the client, reloads the profile, goes to the
 * dashboard (spec section 4). Throws, and changes nothing, when the server refuses the start or the profile.
 */
export async function startSupportMode({
  client,
  request_reference,
}: Pick<SupportAccess, 'client' | 'request_reference'>): Promise<void> {
  await internalApi.startSupportMode({ params: { client, request_reference } })
  session.beginSupport(request_reference, client)
  try {
    await reloadProfile()
  } catch (error) {
    if (session.supportReference() === request_reference) session.endSupport()
    throw error
  }
  await goTo('/dashboard')
}

/**
 * Staff return to the provider's own account (spec section 4). A server that cannot be told does not keep anybody in
 * support mode. Throws when not in it (spec section 8).
 */
export async function endSupportMode(): Promise<void> {
  const request_reference = session.supportReference()
  const client = session.client()
  // Throws when not in support mode.
  if (request_reference === undefined) return session.endSupport()
  await internalApi
    .endSupportMode({ params: { client, request_reference } })
    .catch((error: unknown) => console.error(error))
  // Meanwhile the server may have refused a call, which ends it with a notice of its own.
  if (session.supportReference() !== request_reference) return
  session.endSupport()
  await returnHome(() => noticeEndingSupportMode())
}

/** The server refused a call because the approval was revoked or is over: ends support mode and says why. */
export async function leaveRefusedSupport(): Promise<void> {
  const request_reference = session.supportReference()
  // Several calls may be refused at once; the first one leaves.
  if (request_reference === undefined) return
  const client = session.client()
  const name = queryClient.getQueryData(profileQuery.queryKey)?.client_name ?? client
  session.endSupport()
  const request = await internalApi
    .readSupportAccessOfClient({ params: { client, request_reference } })
    .catch((error: unknown) => console.error(error))
  await returnHome(() => noticeEndingSupportMode(request ? request.approval_state : 'unknown', name))
}

async function returnHome(notice: () => void): Promise<void> {
  notice()
  await reloadProfile().catch((error: unknown) => {
    // Only logged (spec section 8): the next page asks again.
    console.error(error)
    queryClient.clear()
  })
  await goTo('/internal/support')
}

/** What one client showed must not be seen under another: once the new profile is there, every answer goes. */
async function reloadProfile(): Promise<void> {
  const profile = await readProfile()
  await queryClient.cancelQueries()
  queryClient.clear()
  queryClient.setQueryData(profileQuery.queryKey, profile)
}
