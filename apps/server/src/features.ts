import type { FastifyInstance } from 'fastify'
import type { AccessCache } from './access/load.ts'
import { purgeMails, sendMails, sendMailsOfClient } from './alert-mails/jobs.ts'
import { alertSubscriptionRoutes } from './alert-mails/routes.ts'
import { sendToWebhook, sendWebhooks } from './alert-webhooks/jobs.ts'
import { alertWebhookRoutes } from './alert-webhooks/routes.ts'
import type { AppContext } from './app-context.ts'
import { dataRequestRoutes } from './data-requests/routes.ts'
import { watchDataRequests } from './data-requests/store.ts'
import type { Handlers } from './http/context.ts'
import type { JobKind } from './jobs/kind.ts'
import { archiveRoutes } from './payloads/data/archive.ts'
import type { MediaOptions } from './payloads/data/media-grant.ts'
import { openBag } from './payloads/exports/bag.ts'
import { exportList, exportRoutes, purgeExports } from './payloads/exports/routes.ts'
import { markRoutes } from './payloads/marks/routes.ts'
import { searchPages } from './payloads/words/search.ts'

/** What the handlers of a feature receive. */
export interface FeatureParts {
  ctx: AppContext
  access: AccessCache
}

/** A capability beyond the specification. */
export interface Feature {
  /** Handlers of its calls. */
  handlers(parts: FeatureParts): object
  jobs: readonly JobKind<unknown>[]
  /** Routes that are not JSON calls. */
  routes?(ctx: AppContext, options: MediaOptions): (app: FastifyInstance) => void
}

/**
 * The capabilities beyond the specification that an installation can do without: to remove one, delete its folder and
 * its entry here. Data requests use exports.
 */
export const FEATURES = {
  'alert mails': {
    handlers: ({ ctx }) => alertSubscriptionRoutes(ctx),
    jobs: [sendMails, sendMailsOfClient, purgeMails],
  },
  'alert webhooks': {
    handlers: ({ ctx }) => alertWebhookRoutes(ctx),
    jobs: [sendToWebhook, sendWebhooks],
  },
  'data requests': {
    handlers: ({ ctx }) =>
      dataRequestRoutes(ctx, (context, query, body, also) =>
        exportList(context, { ...query, date_filter: 'payload_time', order: 'newest' }, body, also),
      ),
    jobs: [watchDataRequests],
  },
  exports: {
    handlers: ({ ctx }) => exportRoutes(ctx, searchPages(ctx)),
    jobs: [purgeExports],
    routes: (ctx, options) => archiveRoutes(ctx, { ...options, openBag: openBag(ctx) }),
  },
  marks: {
    handlers: ({ ctx }) => markRoutes(ctx, searchPages(ctx)),
    jobs: [],
  },
} satisfies Record<string, Feature>

type Features = typeof FEATURES

/** Names of the calls of all features. */
export type FeatureCall = {
  [N in keyof Features]: keyof ReturnType<Features[N]['handlers']>
}[keyof Features]

/** The handlers of these features. */
export const featureHandlers = (
  features: readonly Feature[],
  parts: FeatureParts,
): Partial<Handlers<FeatureCall>> => Object.assign({}, ...features.map(({ handlers }) => handlers(parts)))
