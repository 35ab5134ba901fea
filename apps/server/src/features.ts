import type { FastifyInstance } from 'fastify'
import type { AccessCache } from './access/load.ts'
import { purgeMails, sendMails, sendMailsOfClient } from './alert-mails/jobs.ts'
import { alertSubscriptionRoutes } from './alert-mails/routes.ts'
import { sendToWebhook, sendWebhooks } from './alert-webhooks/deliver.ts'
import { alertWebhookRoutes } from './alert-webhooks/routes.ts'
import type { AppContext } from './app-context.ts'
import { findClient } from './clients/store.ts'
import { dataRequestRoutes } from './data-requests/routes.ts'
import { watchDataRequests } from './data-requests/store.ts'
import { holdersOfDevices } from './devices/fleet/routes.ts'
import type { Handlers } from './http/context.ts'
import { Problem } from './http/problem.ts'
import { isEmbedded } from './identity-providers/store.ts'
import type { JobKind } from './jobs/kind.ts'
import { deferredOfMatters, legalMatterRoutes } from './legal-matters/routes.ts'
import { archiveRoutes } from './payloads/data/archive.ts'
import type { MediaOptions } from './payloads/data/media-grant.ts'
import { openBag } from './payloads/exports/bag.ts'
import { exportList, exportRoutes, purgeExports } from './payloads/exports/routes.ts'
import { type ReadSearchPage, usersOfRecordings } from './payloads/lists/matching.ts'
import { markRoutes } from './payloads/marks/routes.ts'
import { forgetWords, indexContent } from './payloads/words/index-words.ts'
import { searchPages, searchPayloads } from './payloads/words/search.ts'
import { readSnippets } from './payloads/words/snippets.ts'
import type { DeferredActs } from './proposals/store.ts'
import { type PeopleServices, recertificationRoutes } from './recertifications/routes.ts'
import { watchRecertifications } from './recertifications/store.ts'
import { assigningRoles } from './sessions/assign-roles.ts'
import { ALL_PEOPLE, listPeople } from './sessions/people-store.ts'

/** What the handlers of a feature receive. */
export interface FeatureParts {
  ctx: AppContext
  access: AccessCache
  /** Pages of a content search, for acts on all that match. */
  readSearchPage: ReadSearchPage
}

/** A capability beyond the specification. */
export interface Feature {
  handlers(parts: FeatureParts): object
  jobs: readonly JobKind<unknown>[]
  /** Routes that are not JSON calls. */
  routes?(ctx: AppContext, options: MediaOptions): (app: FastifyInstance) => void
  /** Acts that a second person confirms. */
  deferred?: Partial<DeferredActs>
  readSearchPage?(ctx: AppContext): ReadSearchPage
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
    handlers: ({ ctx, readSearchPage }) => exportRoutes(ctx, readSearchPage),
    jobs: [purgeExports],
    routes: (ctx, options) => archiveRoutes(ctx, { ...options, openBag: openBag(ctx) }),
  },
  'legal matters': {
    handlers: ({ ctx, readSearchPage }) =>
      legalMatterRoutes(ctx, {
        ofRecordings: (...chosen) => usersOfRecordings(...chosen, readSearchPage),
        ofDevices: holdersOfDevices,
      }),
    jobs: [],
    deferred: deferredOfMatters,
  },
  marks: {
    handlers: ({ ctx, readSearchPage }) => markRoutes(ctx, readSearchPage),
    jobs: [],
  },
  recertifications: {
    handlers: ({ ctx, access }) => recertificationRoutes(ctx, peopleServices(ctx, access)),
    jobs: [watchRecertifications],
  },
  'word search': {
    handlers: ({ ctx }) => ({ readSnippets: readSnippets(ctx), searchPayloads: searchPayloads(ctx) }),
    jobs: [indexContent, forgetWords],
    readSearchPage: searchPages,
  },
} satisfies Record<string, Feature>

function peopleServices(ctx: AppContext, access: AccessCache): PeopleServices {
  const { getBasis, carryOut } = assigningRoles(access)
  return {
    async readPeople(q, { caller, now }, { role, limit }) {
      const client = await findClient(ctx.db, caller.client)
      const is_embedded = client !== undefined && isEmbedded(ctx, client)
      const found = await listPeople(
        q,
        { ...ALL_PEOPLE, role, is_embedded, now },
        { after: undefined, limit, isOldestFirst: false },
      )
      return found
        .filter(({ roles }) => roles.length > 0)
        .map(({ roles, ...person }) => ({
          ...person,
          roles: roles.map((each) => each.role),
          ends_at: person.assignment?.ends_at ?? null,
          matters: person.assignment?.matters ?? null,
        }))
    },
    async removeRoles(tx, user_reference, by) {
      const former = { former_roles: [], former_groups: null, former_ends_at: null, former_matters: null }
      const none = { roles: [], groups: null, ends_at: null, matters: null, ...former }
      const act = { kind: 'AssignRoles' as const, user_reference, ...none }
      await getBasis(tx, act)
      await carryOut(tx, act, { ...by, proposal_id: '', confirmed_by: by.by, reason_id: null, sealed: null })
    },
    renew: (tx, context) => access.renew(tx, context),
  }
}

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

/** Reads pages of content searches. Problem: content_search_off without word search. */
export const getSearchPages = (features: readonly Feature[], ctx: AppContext): ReadSearchPage =>
  features.find(({ readSearchPage }) => readSearchPage)?.readSearchPage?.(ctx) ??
  (async () => {
    throw new Problem('content_search_off')
  })
