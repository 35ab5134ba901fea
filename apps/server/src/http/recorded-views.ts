import { hash } from 'node:crypto'
import type { EndpointName } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import { cacheEntry } from '../ports/cache.ts'
import type { PortalUser } from './context.ts'

/** The header of a request that a portal repeats on its own. */
const REFRESH_HEADER = 'x-custodia-refresh'
/** The header of a request for a record that the person may open next. */
const AHEAD_HEADER = 'x-custodia-ahead'
/** Such calls, and the action of their entries: no view happened. The portal asks again when it shows the record. */
const AHEAD: Readonly<Partial<Record<EndpointName, string>>> = {
  readPayload: 'payloads:preload',
  readPayloadPeaks: 'payloads:preload',
}

/**
 * Calls whose refreshes may leave no entry. `rows`: rows of a list and counts, without content. `same`: texts of
 * people, positions, a recording's facts and results of content searches, and only while the answer is the recorded
 * one.
 */
const REFRESHED: Readonly<Partial<Record<EndpointName, 'rows' | 'same'>>> = {
  readProfile: 'rows',
  readDashboard: 'rows',
  readAlertSummary: 'rows',
  countPayloads: 'rows',
  countCaptureGaps: 'rows',
  countMetrics: 'rows',
  readRetentionExecution: 'rows',
  readAlertSubscription: 'rows',
  readMigration: 'rows',
  readMigrationSignOff: 'rows',
  readTransfer: 'rows',
  readEnrolment: 'rows',
  listExports: 'rows',
  listPayloads: 'rows',
  listPayloadsOfDevice: 'rows',
  listPayloadsOfUser: 'rows',
  listThreads: 'rows',
  listDeviceUsers: 'rows',
  listDevices: 'rows',
  listDevicesOfUser: 'rows',
  listCommands: 'rows',
  listCommandsOfDevice: 'rows',
  listEnrolments: 'rows',
  listCaptureGaps: 'rows',
  listCaptureGapsOfUser: 'rows',
  listDeviceLogs: 'rows',
  listLogsOfDevice: 'rows',
  listLogsOfUser: 'rows',
  listMetrics: 'rows',
  listMigrationFiles: 'rows',
  listMigrations: 'rows',
  listMigrationResults: 'rows',
  listTelemetry: 'rows',
  listTelemetryOfDevice: 'rows',
  listGroups: 'rows',
  listRoles: 'rows',
  listPeople: 'rows',
  listTags: 'rows',
  listClientApps: 'rows',
  listLegalHolds: 'rows',
  listLegalMatters: 'rows',
  listMatterPeople: 'rows',
  listDataRequests: 'rows',
  listProposals: 'rows',
  listRetentionVersions: 'rows',
  listCertificates: 'rows',
  listDestructions: 'rows',
  listDestructionItems: 'rows',
  listActivities: 'rows',
  listDeviceActivities: 'rows',
  listSupportAccess: 'rows',
  listAlerts: 'rows',
  listAlertWebhooks: 'rows',
  listAlertDeliveries: 'rows',
  listTransferConfigs: 'rows',
  listTransfers: 'rows',
  listTransferItems: 'rows',
  listTransferReconciliations: 'rows',
  listClients: 'rows',
  listRolesOfClient: 'rows',
  listSupportAccessOfClient: 'rows',
  listSupportAccessByState: 'rows',
  listAlertsOfClients: 'rows',
  listLicenses: 'rows',
  listTelemetryOfClients: 'rows',
  listTelemetryOfClient: 'rows',
  readPayload: 'same',
  searchPayloads: 'same',
  listComments: 'same',
  listCommentsOfPayload: 'same',
  listMarks: 'same',
  listLastPositions: 'same',
  listGpsOfDevice: 'same',
  listGpsOfUser: 'same',
}

/** Whether a call shows something and writes nothing. */
export const onlyShows = (endpoint: EndpointName): boolean => endpoint in REFRESHED

/** Most views that a process knows; about 10 MB. */
const MAX = 50_000

interface RecordedView {
  /** The rights of that moment: wider ones show more. */
  access: WeakRef<PortalUser['access']>
  /** Rows that the view could show; 0 for calls without a limit. */
  limit: number
  /** Digest of the answer where a refresh must have the same; else empty. */
  answer: string
}

/** A call that shows something, with its parsed input and its answer. */
export interface ShownView {
  endpoint: EndpointName
  caller: PortalUser
  params: object
  query: Readonly<Record<string, unknown>>
  /** Words of a search. */
  body: unknown
  /** JSON text of the answer. */
  answer: string
}

const getDigest = (text: string) => hash('sha256', text, 'base64')

/** Views that the audit log has, by session. A process that does not know a view has its refreshes recorded. */
export class RecordedViews {
  readonly #views = new Map<string, RecordedView>()

  /** Notes a view whose entry is durable. */
  add(shown: ShownView): void {
    if (!isKnowable(shown)) return
    const key = getKey(shown)
    const known = this.#views.get(key)
    // The total of a list shows less than its rows.
    if (known && known.access.deref() === shown.caller.access && known.limit > getLimit(shown)) return
    const view = {
      access: new WeakRef(shown.caller.access),
      limit: getLimit(shown),
      answer: REFRESHED[shown.endpoint] === 'same' ? getDigest(shown.answer) : '',
    }
    cacheEntry(this.#views, key, view, MAX)
  }

  /** Whether a request is a refresh that shows nothing beyond a view of the same session in the log. */
  covers(request: Pick<FastifyRequest, 'headers'>, shown: ShownView): boolean {
    const kind = REFRESHED[shown.endpoint]
    if (request.headers[REFRESH_HEADER] === undefined || kind === undefined || !isKnowable(shown))
      return false
    const view = this.#views.get(getKey(shown))
    if (view === undefined || view.access.deref() !== shown.caller.access || getLimit(shown) > view.limit)
      return false
    return kind === 'rows' || view.answer === getDigest(shown.answer)
  }
}

/** The action of an entry for a record that a portal loads before it shows it; undefined for views. */
export const aheadAction = (
  { headers }: Pick<FastifyRequest, 'headers'>,
  { endpoint, caller }: Pick<ShownView, 'endpoint' | 'caller'>,
): string | undefined =>
  headers[AHEAD_HEADER] === undefined || caller.is_client_app === true ? undefined : AHEAD[endpoint]

/** Client apps have no session. */
const isKnowable = ({ endpoint, caller }: ShownView) =>
  REFRESHED[endpoint] !== undefined && caller.is_client_app !== true

/** Rows that a call may show; a total shows none. */
const getLimit = ({ query: { limit, type } }: ShownView) =>
  typeof limit === 'number' && type !== 'total' ? limit : 0

function getKey({ endpoint, caller, params, query, body }: ShownView): string {
  const { limit: _, type, ...filters } = query
  // Rows of a list cover its total; an answer that must be the same has its own.
  const part = REFRESHED[endpoint] === 'same' ? type : undefined
  const { client_id, session_id, support_reference } = caller
  return getDigest(
    JSON.stringify([client_id, session_id, support_reference, endpoint, params, filters, part, body]),
  )
}
