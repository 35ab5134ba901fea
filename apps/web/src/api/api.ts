import { type ClientOf, type ClientOptions, makeClientOf } from '@custodia/client'
import {
  accountEndpoints,
  activityEndpoints,
  alertEndpoints,
  dashboardEndpoints,
  type Endpoint,
  groupEndpoints,
  payloadEndpoints,
  roleEndpoints,
  sessionEndpoints,
  supportAccessEndpoints,
  tagEndpoints,
  threadEndpoints,
} from '@custodia/contract'
import { ALERTS, readAgain, refetchAfter, RIGHTS, type StaleAfter } from './after-change.ts'
import { session } from './current-session.ts'
import { signInAgain, tokenOfPerson } from './interruption.ts'
import { noticeAuthenticationExpired } from './notices.ts'
import { fetchPreloaded } from './preload-session.ts'
import { loadProblems } from './problem-phrases.ts'

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
const portalCalls = {
  baseUrl: '',
  // The client parameter is left out for the provider's own administrators (spec section 7).
  client: () => (session.isAdmin() ? undefined : session.client()),
  credentials: async () => {
    const token = await tokenOfPerson()
    return token === undefined ? undefined : { token, support_reference: session.supportReference() }
  },
  signInAgain,
  fetch: fetchPreloaded,
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

/**
 * Calls of a noun, which load with the module that makes this client. `stale` names the answers that each change makes
 * stale.
 */
export const portalClient = <const T extends Readonly<Record<string, Endpoint>>>(
  rows: T,
  stale: StaleAfter<T>,
): ClientOf<T> => makeClientOf(rows, { ...portalCalls, onSuccess: refetchAfter(stale) })

/** One typed function per call: `await api.listPayloads({ query: { service: 'calls' } })`. */
export const api = portalClient(rows, {
  // The caller navigates away and reloads the profile or clears the cache.
  acceptTerms: [],
  noteExport: ['readPayloadAudit'],
  signOut: [],
  saveGroup: RIGHTS,
  reviewGroup: [],
  deleteGroup: RIGHTS,
  saveRole: RIGHTS,
  reviewRole: [],
  deleteRole: RIGHTS,
  saveTag: RIGHTS,
  reviewTag: [],
  deleteTag: RIGHTS,

  saveAccountDefaults: RIGHTS,
  reviewAccountDefaults: [],
  decideSupportAccess: ['listSupportAccess', 'readSupportAccess', 'readSupportSession'],
  clearAlerts: ALERTS,
  dismissAlerts: ALERTS,
  searchPayloads: [],
  // These calls validate and change nothing.
  readSnippets: [],
})
