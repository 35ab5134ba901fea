import {
  LIST_EXTRAS,
  dashboardEndpoints,
  fullPath,
  LOCALES,
  payloadEndpoints,
  PROVIDER_CLIENT,
  sessionEndpoints,
} from '@custodia/contract'
import type { Plugin } from 'vite'
import { ACTIONS_KEY, REFRESH_LOCK, SESSION_KEY } from '../src/api/kept-session.ts'
import { preloadSession, type PreloadFacts } from '../src/api/preload-session.ts'
import { PAGE_ROWS } from '../src/components/lists/list-search.ts'

const { listPayloads, readPayload } = payloadEndpoints
const { readDashboard } = dashboardEndpoints
const firstRows = (service: string) => ({
  action: listPayloads.action,
  path: fullPath(listPayloads),
  query: {
    ...Object.fromEntries(LIST_EXTRAS.map((extra, i) => [`include[${i}]`, extra])),
    service,
    limit: String(PAGE_ROWS),
  },
})

/** Default requests of the page. A request that differs from the portal's own is sent twice; a browser test counts them. */
export const PRELOAD_FACTS: PreloadFacts = {
  pages: `^(?:/(?:${LOCALES.join('|')}))?(/(?:dashboard|internal)(?:/.*)?)$`,
  sign_in: {
    page: `^(?:/(?:${LOCALES.join('|')}))?/sign-in/?$`,
    path: fullPath(sessionEndpoints.listDemoPeople),
  },
  session_key: SESSION_KEY,
  refresh_lock: REFRESH_LOCK,
  provider: PROVIDER_CLIENT,
  exchange: fullPath(sessionEndpoints.exchange),
  profile: fullPath(sessionEndpoints.readProfile),
  actions_key: ACTIONS_KEY,
  first: {
    '/dashboard': { action: readDashboard.action, path: fullPath(readDashboard), query: {} },
    '/dashboard/services/calls': firstRows('calls'),
    '/dashboard/services/messages': firstRows('messages'),
    '/dashboard/services/interviews': firstRows('interviews'),
    '/dashboard/services/photos': firstRows('photos'),
    '/dashboard/services/videos': firstRows('videos'),
    '/dashboard/services/diagnostics': firstRows('diagnostics'),
  },
  payload: {
    pages: '^/dashboard/services/[a-z]+/([\\w-]{26,36})/?$',
    action: readPayload.action,
    path: fullPath(readPayload),
    query: {},
  },
}
const PLACE = '<!-- early -->'

/** Puts the preload script into the page's HTML. */
export function preloadScript(): Plugin {
  return {
    name: 'custodia:early-script',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => {
        if (!html.includes(PLACE)) throw new Error(`index.html has no ${PLACE}`)
        return html.replace(
          PLACE,
          () => `<script>(${preloadSession})(${JSON.stringify(PRELOAD_FACTS)})</script>`,
        )
      },
    },
  }
}
