import { type ClientOptions, makeClientOf } from '@custodia/client'
import {
  accountEndpoints,
  activityEndpoints,
  alertEndpoints,
  clientAppEndpoints,
  dashboardEndpoints,
  groupEndpoints,
  licenseEndpoints,
  payloadEndpoints,
  roleEndpoints,
  sessionEndpoints,
  supportAccessEndpoints,
  tagEndpoints,
  threadEndpoints,
} from '@custodia/contract'
import { callSucceeded, readAgain } from './after-change.ts'
import { session } from './current-session.ts'
import { fetchPreloaded } from './preloaded-responses.ts'
import { loadProblems } from './problem-phrases.ts'
import { noticeAuthenticationExpired } from './notices.ts'

/** What the portals of a client call. The provider's own calls, those of the fleet's screens and those of phones load elsewhere or never. */
const rows = {
  ...sessionEndpoints,
  ...dashboardEndpoints,
  ...groupEndpoints,
  ...roleEndpoints,
  ...tagEndpoints,
  ...accountEndpoints,
  ...clientAppEndpoints,
  ...activityEndpoints,
  ...supportAccessEndpoints,
  ...alertEndpoints,
  ...licenseEndpoints,
  ...payloadEndpoints,
  ...threadEndpoints,
}

/** How the portals of a client call. */
export const portalCalls = {
  baseUrl: '',
  // The client parameter is left out for the provider's own administrators (spec section 7).
  client: () => (session.isAdmin() ? undefined : session.client()),
  credentials: async () => {
    const token = await session.token()
    return token === undefined ? undefined : { token, support_reference: session.supportReference() }
  },
  fetch: fetchPreloaded,
  onSuccess: callSucceeded,
  onAuthenticationExpired: () => {
    noticeAuthenticationExpired()
    session.end()
  },
  // The approval was revoked or is over: what was asked for does not matter any more.
  onProblem: ({ code }) => {
    if (code === 'support_mode_ended') session.supportRefused()
    // The account asks since a moment ago.
    if (code === 'reason_required') readAgain('readProfile')
    return loadProblems()
  },
} satisfies ClientOptions

/** One typed function per call: `await api.listPayloads({ query: { service: 'calls' } })`. */
export const api = makeClientOf(rows, portalCalls)
