import {
  api,
  type DataExport,
  type Locale,
  type DataRequest,
  type dataRequestEndpoints,
  DAY,
  type Fault,
  fault,
  PersonReference,
  REQUEST_ENTERED_DAYS,
  REQUEST_LAWS,
  type RequestKind,
} from '@custodia/contract'
import { getDue } from '@custodia/domain'
import { settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { newId } from '../http/new-id.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { countEveryPayload } from '../payloads/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { keepReason, openReason, sealReason } from '../reasons/reasons.ts'
import { getRecordings, reportOn } from './report.ts'
import {
  getAlert,
  countRequests,
  endRequest,
  findRequest,
  findRequestTexts,
  findSubject,
  type FoundRequest,
  insertCopy,
  insertRequest,
  listCopies,
  listRequests,
  lockRequest,
  type RequestPlace,
} from './store.ts'

/** Megabytes per part of a copy, as in exports. */
const PART_MEGABYTES = 1024
/** Maximum due time: a hundred years. */
const DUE_DAYS = 36_525

type Calls = keyof typeof dataRequestEndpoints
type Parts = Pick<AppContext, 'cursors' | 'keys' | 'log'>
type MakeExport = (
  context: PortalContext,
  query: NonNullable<ReturnType<typeof getRecordings>> & {
    from?: string | undefined
    to?: string | undefined
  },
  body: { part_megabytes: number; reason?: string | undefined; evidence: boolean; locale: Locale },
  also: (tx: Tx, made: DataExport) => Promise<void>,
) => Promise<DataExport>

/** Routes of data subject requests. Apps and provider support have no access. */
export const dataRequestRoutes = (ctx: Parts, makeExport: MakeExport): Handlers<Calls> => ({
  listDataRequests: list(ctx),
  openDataRequest: open(ctx),
  readDataRequest: read(ctx),
  readDataRequestReport: report,
  copyDataRequest: copy(makeExport),
  closeDataRequest: close(ctx),
})

/** Problem: not_permitted for apps. */
function assertNoApp({ caller }: Pick<PortalContext, 'caller'>): void {
  if (caller.is_client_app)
    throw new Problem('not_permitted', { detail: 'apps cannot use data subject requests' })
}

function list({ cursors }: Parts): Handler<'listDataRequests'> {
  return async (context, { query }) => {
    assertNoApp(context)
    const { client_id } = context.caller
    if (query.type === 'total')
      return { total: await context.readFromReplica((q) => countRequests(q, query)) }
    const page = await getPage<{ request: DataRequest; place: RequestPlace }, RequestPlace>(
      cursors,
      { name: 'data_requests', client_id, query },
      (after, limit) => context.readFromReplica((q) => listRequests(q, query, { after, limit })),
      ({ place }) => place,
    )
    return { ...page, data: page.data.map(({ request }) => request) }
  }
}

function open({ keys }: Parts): Handler<'openDataRequest'> {
  return async (context, { body }) => {
    assertNoApp(context)
    const { caller, now, write } = context
    const { note, due_at: result, ...asked } = body
    const faults = getFaults(body, now)
    if (faults.length > 0) throw new Problem('invalid_input', { faults })
    const data_request_id = newId()
    context.noteFacts({ data_request_id })
    const sealed = note === undefined ? undefined : await sealReason({ keys }, caller.client, note)
    return write(async (tx) => {
      const device_user_id = asked.subject_type === 'DeviceUser' ? await findSubject(tx, asked.subject) : null
      if (device_user_id === undefined) throw new Problem('not_found', { detail: 'no such device user' })
      await insertRequest(tx, {
        ...asked,
        data_request_id,
        device_user_id,
        due_at: result ?? getDue(asked.law, asked.received_at).due_at,
        opened_by: getActor(caller),
        note_id: await keepReason(tx, sealed),
      })
      return toResponse(await getRequest(tx, data_request_id))
    })
  }
}

/** Faults of a new request. */
function getFaults(
  {
    kind,
    law,
    subject_type,
    subject,
    received_at,
    due_at,
  }: Parameters<Handler<'openDataRequest'>>[1]['body'],
  now: number,
): Fault[] {
  const laws: readonly RequestKind[] = REQUEST_LAWS[law]
  const { latest } = getDue(law, received_at)
  const isLate = due_at !== undefined && due_at > (latest ?? received_at + DUE_DAYS * DAY)
  const isName = subject_type !== 'PortalUser' || PersonReference.safeParse(subject).success
  const isNumber = subject_type !== 'Number' || /[\p{L}\p{N}]/u.test(subject)
  return [
    ...(laws.includes(kind) ? [] : [fault('law', 'law_of_kind')]),
    ...(isName && isNumber ? [] : [fault('subject', 'invalid')]),
    ...(received_at > now || received_at < now - REQUEST_ENTERED_DAYS * DAY
      ? [fault('received_at', 'received_when', { limit: REQUEST_ENTERED_DAYS })]
      : []),
    ...(isLate || (due_at !== undefined && due_at < received_at) ? [fault('due_at', 'due_when')] : []),
  ]
}

/** A request with its note. Problem: not_found. */
function read(ctx: Parts): Handler<'readDataRequest'> {
  return async (context, { params: { data_request_id } }) => {
    assertNoApp(context)
    const { caller, readFromReplica } = context
    const { request, texts, copies } = await readFromReplica(async (q) => ({
      request: await getRequest(q, data_request_id),
      texts: await findRequestTexts(q, data_request_id),
      copies: await listCopies(q, data_request_id),
    }))
    return {
      ...toResponse(request),
      note: await openReason(ctx, caller.client, texts.note),
      reason: await openReason(ctx, caller.client, texts.reason),
      copies,
    }
  }
}

/** Problem: not_found. */
const report: Handler<'readDataRequestReport'> = async (context, { params: { data_request_id } }) => {
  assertNoApp(context)
  const { caller, readFromReplica } = context
  return readFromReplica(async (q) => reportOn(q, caller.access, await getRequest(q, data_request_id)))
}

/**
 * Creates a copy. Problems: not_found; not_permitted without the export permission; wrong_state for a request without a
 * copy; reason_required.
 */
function copy(makeExport: MakeExport): Handler<'copyDataRequest'> {
  return async (context, { params: { data_request_id }, body: { from, to, reason, evidence, locale } }) => {
    assertNoApp(context)
    const request = await context.read((q) => getRequest(q, data_request_id))
    if (!context.caller.access.may(api.createExport.action))
      throw new Problem('not_permitted', { detail: api.createExport.action })
    const query = getRecordings(request)
    if (!query || request.kind === 'Erasure')
      throw new Problem('wrong_state', { detail: 'the request does not ask for a copy' })
    assertOpen(request.state)
    const made_by = getActor(context.caller)
    const asked = { ...query, from, to }
    const deleted = await context.read((q) => countEveryPayload(q, context.caller.access, asked, 'Deleted'))
    const { export_id, created_at, items, refused, is_cut } = await makeExport(
      context,
      asked,
      { part_megabytes: PART_MEGABYTES, reason, evidence, locale },
      async (tx, made) => {
        assertOpen(await lockRequest(tx, data_request_id))
        await insertCopy(tx, data_request_id, { ...made, made_at: made.created_at, made_by, deleted })
      },
    )
    return { export_id, made_at: created_at, made_by, items, refused, deleted, is_cut }
  }
}

/** Closes a request. Problems: not_found; wrong_state when closed. */
function close({ keys }: Parts): Handler<'closeDataRequest'> {
  return async (context, { params: { data_request_id }, body: { state, reason } }) => {
    assertNoApp(context)
    const { caller, now, write } = context
    const sealed = await sealReason({ keys }, caller.client, reason)
    return write(async (tx) => {
      assertOpen(await lockRequest(tx, data_request_id))
      await keepReason(tx, sealed)
      await endRequest(tx, data_request_id, { state, by: getActor(caller), reason_id: sealed.reason_id })
      await settleAlert(tx, getAlert(data_request_id, now))
      return toResponse(await getRequest(tx, data_request_id))
    })
  }
}

/** Problems: not_found, wrong_state. */
function assertOpen(state: DataRequest['state'] | undefined): void {
  if (state === undefined) throw missing()
  if (state !== 'Open') throw new Problem('wrong_state', { detail: 'the request is closed' })
}

async function getRequest(q: Queryable, data_request_id: string): Promise<FoundRequest> {
  const request = await findRequest(q, data_request_id)
  if (!request) throw missing()
  return request
}

/** Removes internal fields. */
const toResponse = ({ device_user_id: _id, ...request }: FoundRequest): DataRequest => request

const missing = () => new Problem('not_found', { detail: 'no such request' })
