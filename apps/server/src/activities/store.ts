import {
  BACKGROUND_NAMES,
  LOG_SENTENCES,
  logSentenceWith,
  getParameters,
  type PortalActivity,
  SUPPORT_STEPS,
  type SupportAccess,
} from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { binder } from '../ports/database/binder.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { PORTAL_LOG } from './filter.ts'
import { standsForItself } from './fold-store.ts'
import { type LoggedRow, withRecordings } from './recordings.ts'

type Request = Pick<SupportAccess, 'request_reference' | 'requested_by' | 'requester_name' | 'requested_at'>

/** Entries that start and end support mode. They are outside of it, so they carry the request as a parameter. */
const SUPPORT_MARKS = ['internal.support_mode:start', 'internal.support_mode:end']

/** Lists and searches: background calls that show what the caller looked through. */
const SEEN_LISTS = Object.entries(LOG_SENTENCES)
  .filter(
    ([action, { is_background, 'en-GB': sentence }]) =>
      is_background && /:(?:list|search)$/.test(action) && !sentence.includes('{payload_reference}'),
  )
  .map(([action]) => action)

/** Starts and ends of support mode under a request, in order. */
export function readSupportMarks(
  q: Queryable,
  request: Request,
): Promise<{ at: number; is_start: boolean }[]> {
  return q.rows<{ at: number; is_start: boolean }>(
    `select r.activity_time as at, r.action = $5 as is_start from portal_activities r where ${IS_MARK}
     order by r.activity_time, r.log_id`,
    [...getValues(q, request), SUPPORT_MARKS[0]],
  )
}

const getValues = (q: Queryable, { request_reference, requested_by, requested_at }: Request): unknown[] => [
  q.client_id,
  request_reference,
  requested_by,
  requested_at,
]
const IS_MARK = `r.client_id = $1 and r.user_reference = $3 and r.activity_time >= $4 and r.support_reference is null
  and r.is_allowed and r.action in ('${SUPPORT_MARKS.join("', '")}') and position($2 in r.parameters) > 0`

/** The newest steps under a request, oldest first, and how many there are. Between two steps a list counts once. */
async function readSteps(
  q: Queryable,
  request: Request,
): Promise<{ steps: LoggedRow[]; step_count: number }> {
  const { bind, values } = binder(getValues(q, request))
  const isStep = `not (r.is_allowed and r.action = any(${bind(BACKGROUND_NAMES, 'text[]')}))
    and ${standsForItself(request.requested_at, bind)}`
  const order = 'order by activity_time, log_id'
  const { rows } = await q.query<LoggedRow & { step_count: number }>(
    `with entries as (
       select r.*, ${isStep} as is_step from portal_activities r
         where r.client_id = $1 and r.support_reference = $2 and r.activity_time >= $4
       union all select r.*, true from portal_activities r where ${IS_MARK}),
     phases as (
       select r.*, count(*) filter (where is_step) over (${order}) as phase from entries r
         where is_step or action = any(${bind(SEEN_LISTS, 'text[]')})),
     numbered as (select r.*, row_number() over (partition by phase, is_step, action ${order}) as nth from phases r)
     select ${PORTAL_LOG.columns(true)}, count(*) over ()::int as step_count from numbered r
       where is_step or nth = 1 order by r.activity_time desc, r.log_id desc limit ${bind(SUPPORT_STEPS, 'int')}`,
    values,
  )
  const step_count = rows[0]?.step_count ?? 0
  const steps = rows.map((counted) => {
    const { step_count: _, ...row } = counted
    return row
  })
  return { steps: steps.toReversed(), step_count }
}

/** The steps under a request with the names that the caller may see. */
export async function readSupportSteps(
  q: Queryable,
  request: Request,
  context: Pick<PortalContext, 'caller'>,
): Promise<{ steps: PortalActivity[]; step_count: number }> {
  const { steps, step_count } = await readSteps(q, request)
  return { steps: await withRecordings(q, context, steps), step_count }
}

/** The steps under a request for the provider: the caller by name, and only what their sentences name, by reference. */
export async function readBareSupportSteps(
  q: Queryable,
  request: Request,
): Promise<{ steps: PortalActivity[]; step_count: number }> {
  const { steps, step_count } = await readSteps(q, request)
  return {
    steps: steps.map(({ payload_reference, ...row }) => ({
      ...row,
      parameters: namedParameters(row.action, row.parameters),
      names: { ...(request.requester_name !== null && { who: request.requester_name }) },
      recording: payload_reference === null ? null : { payload_reference, seen: null },
    })),
    step_count,
  }
}

/** Parameters that sentences need and do not name: counted lists, and the device of a holder. */
const COUNTED = ['payload_references', 'alert_references', 'device_reference']

/** The parameters that the sentence of an entry names, without free text such as a search. */
function namedParameters(action: string, text: string): string {
  const parameters = getParameters(text)
  const sentence = logSentenceWith(action, parameters)?.['en-GB'] ?? ''
  const named = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(parameters).filter(([name]) => named.includes(name) || COUNTED.includes(name)),
    ),
  )
}
