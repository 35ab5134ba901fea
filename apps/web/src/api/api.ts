import { type ClientOptions, makeClientOf } from '@custodia/client'
import {
  accountEndpoints,
  activityEndpoints,
  alertEndpoints,
  dashboardEndpoints,
  groupEndpoints,
  payloadEndpoints,
  roleEndpoints,
  sessionEndpoints,
  supportAccessEndpoints,
  tagEndpoints,
  threadEndpoints,
} from '@custodia/contract'
import { callSucceeded, readAgain } from './after-change.ts'
import { session } from './current-session.ts'
import { fetchPreloaded } from './preload-session.ts'
import { signInAgain, tokenOfPerson } from './interruption.ts'
import { loadProblems } from './problem-phrases.ts'
import { noticeAuthenticationExpired } from './notices.ts'

/** Calls of the client portals. Provider, fleet and device calls load elsewhere or never. */
const rows = {
  ...sessionEndpoints,
  ...dashboardEndpoints,
  ...groupEndpoints,
  ...roleEndpoints,
  ...tagEndpoints,
  ...accountEndpoints,
  ...activityEndpoints,
  ...supportAccessEndpoints,
  ...alertEndpoints,
  ...payloadEndpoints,
  ...threadEndpoints,
}

/** Options of the client portals' calls. */
export const portalCalls = {
  baseUrl: '',
  // The client parameter is left out for the provider's own administrators (spec section 7).
  client: () => (session.isAdmin() ? undefined : session.client()),
  credentials: async () => {
    const token = await tokenOfPerson()
    return token === undefined ? undefined : { token, support_reference: session.supportReference() }
  },
  signInAgain,
  fetch: fetchPreloaded,
  onSuccess: callSucceeded,
  onAuthenticationExpired: () => {
    noticeAuthenticationExpired()
    session.end()
  },
  // The support approval is revoked or expired; the answer is not needed any more.
  onProblem: ({ code }) => {
    if (code === 'support_mode_ended') session.supportRefused()
    // The account requires a reason since a moment ago.
    if (code === 'reason_required') readAgain('readProfile')
    return loadProblems()
  },
} satisfies ClientOptions

/** One typed function per call: `await api.listPayloads({ query: { service: 'calls' } })`. */
export const api = makeClientOf(rows, portalCalls)
