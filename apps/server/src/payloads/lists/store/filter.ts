import type { ListExtra, PayloadQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { mayKnowHolds } from '../../../access/holds.ts'
import { findHeldRuns } from '../../../held-records/store.ts'
import { timeRange } from '../../../http/time-range.ts'
import { STATE_CODES } from '../../../payload-records/codes.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import type { ReachLane } from '../../lanes-sql.ts'
import { getGroups, type Scope, getScope } from './scope.ts'
import { getCount, findUserIn, isNumberIn, type ListSearch, resolveSearch, type Runs } from './search.ts'
import type { ListWords } from './words.ts'

/** The filter of a list, resolved to codes and ids. */
export interface ListFilter {
  client_id: number
  scope: Scope
  date_filter: PayloadQuery['date_filter']
  order: PayloadQuery['order']
  /** Epoch seconds, inclusive. */
  from: number
  /** Epoch seconds, exclusive. */
  to: number
  device_id?: number | undefined
  device_user_id?: number | undefined
  number?: string | undefined
  search?: ListSearch | undefined
  /** Words that its texts must have; keys are read by the first term. */
  words?: ListWords | undefined
  thread_id?: string | undefined
  /** The only payloads that can match, when few: those of the thread, or the searched reference. */
  payload_ids?: readonly number[] | undefined
  /** Times in epoch seconds between which it was processed; half open. */
  processed?: readonly [from: number, to: number] | undefined
  /** State codes to show. */
  states: readonly number[]
  /** Whether the query names `states`, instead of the default ones. */
  has_states: boolean
  is_late?: boolean | undefined
  is_altered?: boolean | undefined
  /** Duplicate messages: only these, or none of them. Absent for a search by reference, which finds both. */
  is_copy?: boolean | undefined
  has_receipt?: boolean | undefined
  is_held?: boolean | undefined
  /**
   * Ids of the device users on hold for the legal matters to which the reader is limited. The database shows no other
   * recordings; this finds them fast, and counts them without the sums over all.
   */
  limited?: readonly number[] | undefined
  /** With `is_held`: runs that contain every held payload. Absent: too many. */
  held?: Runs | undefined
  mark?: PayloadQuery['mark']
  heard?: PayloadQuery['heard']
  /** The person whose mark counts; empty: any person. */
  marked_by: string
  /** The reader, as records name them. */
  reader: string
  /** The scopes in which the reader may see marks and who has heard a payload. */
  marks_lanes: readonly ReachLane[]
  heard_lanes: readonly ReachLane[]
  /** Whether a filter by it covers everything that the list shows. */
  knows: { h: boolean; m: boolean }
  /** Whether the reader may see legal holds. */
  knows_holds: boolean
  /** Optional fields of the rows. */
  include: readonly ListExtra[]
  /** The rows are counted: they have only their reference, type and when they were processed. */
  isCount?: boolean | undefined
}

/** Threads up to this many payloads are sorted in memory; longer ones are read by scanning the list. */
const THREAD_PAYLOADS = 5000

/** Most people, devices and payloads whose runs a list of held payloads merges. More are found by scanning the list. */
const MAX_HELD = 1000

/** Deleted and destroyed payloads are only shown on request. */
const SHOWN_STATES = Object.entries(STATE_CODES)
  .filter(([state]) => state !== 'Deleted' && state !== 'Destroyed')
  .map(([, code]) => code)

/** The filters of a list, without what concerns its pages. */
export type ListQuery = Omit<PayloadQuery, 'client' | 'limit' | 'last_key' | 'type' | 'most'> & {
  /** The reader, as records name them. */
  reader?: string
}

/** Resolves a query; undefined when nothing can match it, such as an unknown device. */
export async function resolveFilter(
  q: Queryable,
  access: Access,
  action: string,
  query: ListQuery,
  mostRuns?: number,
): Promise<ListFilter | undefined> {
  const group_ids = query.groups && (await getIds(q, GROUPS, query.groups))
  const scope = getScope(access, action, { ...query, group_ids })
  const { from, to } = timeRange(query)
  const limited = access.matters && (await findMatterUsers(q, access.matters))
  if (limited?.length === 0) return undefined
  const knows_holds = mayKnowHolds(access)
  if (scope.length === 0 || from >= to || (query.is_held !== undefined && !knows_holds)) return undefined
  const filter: ListFilter = {
    client_id: q.client_id,
    scope,
    date_filter: query.date_filter,
    order: query.order,
    from,
    to,
    number: query.number?.trim(),
    thread_id: query.thread_id,
    states: query.states?.map((state) => STATE_CODES[state]) ?? SHOWN_STATES,
    has_states: query.states !== undefined,
    is_late: query.is_late,
    is_altered: query.is_altered,
    is_copy: query.is_copy === true,
    has_receipt: query.has_receipt,
    is_held: query.is_held,
    knows_holds,
    limited,
    mark: query.mark,
    heard: query.heard,
    marked_by: query.marked_by_me ? (query.reader ?? '') : '',
    reader: query.reader ?? '',
    marks_lanes: query.mark || query.include?.includes('mark') ? access.lanes('payloads.marks:list') : [],
    heard_lanes: query.heard || query.include?.includes('heard') ? access.lanes('payloads.audit:read') : [],
    knows: {
      h: query.heard !== undefined && reachesAsFar(access, action, 'payloads.audit:read'),
      m: query.mark !== undefined && reachesAsFar(access, action, 'payloads.marks:list'),
    },
    include: query.include ?? [],
  }
  const groups = getGroups(scope)
  if (query.device_reference !== undefined) {
    // A reader who is limited to legal matters sees no counts.
    const isShown = !limited && query.states === undefined && !query.is_copy && query.search === undefined
    filter.device_id = await findDeviceIn(q, query.device_reference, groups, isShown)
    if (filter.device_id === undefined) return undefined
  }
  if (query.device_user_reference !== undefined) {
    filter.device_user_id = await findUserIn(q, query.device_user_reference, groups)
    if (filter.device_user_id === undefined) return undefined
  }
  if (query.is_held === true) {
    const held = await findHeldRuns(q, MAX_HELD)
    if (held) filter.held = { numbers: [], words: [], ...held }
    if (filter.held && getCount(filter.held) === 0) return undefined
  }
  if (query.thread_id !== undefined && filter.device_id === undefined) {
    const { rows } = await q.query<{ id: number }>(THREAD, [q.client_id, query.thread_id])
    if (rows.length <= THREAD_PAYLOADS) filter.payload_ids = rows.map((row) => row.id)
  }
  if (filter.payload_ids === undefined) filter.payload_ids = await findFew(q, filter)
  if (filter.number !== undefined && groups && !(await isNumberIn(q, filter.number, groups))) return undefined
  if (query.search !== undefined) {
    const found = await resolveSearch(q, query.search, { service: scope[0]?.service ?? 0, groups }, mostRuns)
    if (!found) return undefined
    Object.assign(filter, found)
    if ('payload_ids' in found) filter.is_copy = query.is_copy
  }
  return filter
}

/** Most payloads that are read by their ids. */
const FEW = 2000

/** States in which a payload is expected or in work: `payload_work` has a row for each. */
const IN_WORK: ReadonlySet<number> = new Set([
  STATE_CODES.Recorded,
  STATE_CODES.Uploaded,
  STATE_CODES.Scanning,
])

/** The only payloads that can match, by a table that is short when they are few; undefined: many, or unknown. */
async function findFew(
  q: Queryable,
  { states, has_receipt }: ListFilter,
): Promise<readonly number[] | undefined> {
  const table = states.every((state) => IN_WORK.has(state))
    ? 'payload_work'
    : has_receipt === true
      ? 'payload_receipts'
      : undefined
  if (table === undefined) return undefined
  // No answer when they are many: their ids would cost more than the rest of the list.
  const ids = await q.value<number[]>(
    `select coalesce(json_agg(payload_id), '[]') from (
       select payload_id from ${table} where client_id = $1 limit ${FEW + 1}) x having count(*) <= ${FEW}`,
    [q.client_id],
  )
  return ids && [...new Set(ids)]
}

const reachesAsFar = (access: Access, action: string, other: string): boolean =>
  JSON.stringify(access.lanes(action)) === JSON.stringify(access.lanes(other))

const GROUPS = 'select group_id as id from groups where client_id = $1 and group_reference = any($2)'

/**
 * The device with this reference, if it is in one of these groups or they have a payload of it: what it recorded before
 * it moved stays in its former group. A list of what is shown finds that by the few counts of the device, so that a
 * device out of reach costs as little as a missing one.
 */
const findDeviceIn = (
  q: Queryable,
  reference: string,
  groups: readonly number[] | null,
  isShown: boolean,
): Promise<number | undefined> =>
  q.value<number>(
    `select d.device_id from devices d where d.client_id = $1 and d.device_reference = $2 and ($3::int[] is null or d.group_id = any($3)
       or exists (select from payload_metrics m
         where m.client_id = $1 and m.scope = 'a' and m.device_id = d.device_id and m.group_id = any($3))
       or not $4 and exists (select from payloads p where p.client_id = $1 and p.device_id = d.device_id and p.group_id = any($3)))`,
    [q.client_id, reference, groups, isShown],
  )

const THREAD = `select payload_id as id from payload_documents where client_id = $1 and thread_id = $2 limit ${THREAD_PAYLOADS + 1}`

async function findMatterUsers(q: Queryable, matters: readonly string[]): Promise<readonly number[]> {
  return (await q.value<number[]>('select users_of_matters($1, $2) as users', [q.client_id, matters])) ?? []
}

function getIds(q: Queryable, text: string, references: readonly string[]): Promise<number[]> {
  return q.column<number>(text, [q.client_id, references])
}

/**
 * The direction of a list in SQL: forward or backward along its index. `behind` comes later in the list,
 * `upTo` earlier or at the same place.
 */
export interface Direction {
  way: 'asc' | 'desc'
  behind: '<' | '>'
  upTo: '<=' | '>='
  before: '<' | '>'
  /** Whether a time is before the far end in $4; `to` is exclusive and `from` inclusive. */
  within: '<' | '>='
  /** The far end of the filter's time range, in epoch seconds. */
  end: number
}

export const getDirection = ({ order, from, to }: Pick<ListFilter, 'order' | 'from' | 'to'>): Direction =>
  order === 'oldest'
    ? { way: 'asc', behind: '>', upTo: '<=', before: '<', within: '<', end: to }
    : { way: 'desc', behind: '<', upTo: '>=', before: '>', within: '>=', end: from }

/** Condition on `time` and the payload_id: behind the place in $2 and $3, and within the filter's times. */
export const behindSql = (time: string, { behind, within }: Direction): string =>
  `(${time}, payload_id) ${behind} ($2::bigint, $3::bigint) and ${time} ${within} $4::bigint`

/** These columns in the order of the list. */
export const inOrderSql = ({ way }: Direction, ...columns: string[]): string =>
  `order by ${columns.map((column) => `${column} ${way}`).join(', ')}`
