import type {
  DataRequestReport,
  KeptPayloads,
  KeptRecords,
  LegalMinimum,
  PayloadType,
  RequestRecord,
} from '@custodia/contract'
import { type Access, type RuleSpan, ruleSpans, sameNumber } from '@custodia/domain'
import { mayKnowHolds } from '../access/holds.ts'
import { everyPayloadSql } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import {
  allPolicies,
  countKept,
  countKeptRecords,
  countReported,
  type KeptGroup,
  type KeptRecordGroup,
  type ReportedGroup,
  type StoredPolicy,
} from '../retention/store.ts'
import { type FoundRequest, readTime } from './store.ts'

/** Report name of each table. */
const RECORDS: Readonly<Record<string, RequestRecord>> = {
  device_logs: 'Logs',
  gps_points: 'Positions',
  telemetry: 'Telemetry',
  device_commands: 'Commands',
  device_activities: 'DeviceActivities',
  portal_activities: 'Activities',
  portal_sessions: 'Sessions',
  terms_acceptances: 'Acceptances',
  support_access: 'SupportRequests',
  payload_comments: 'Comments',
  payload_marks: 'Marks',
  payload_plays: 'Plays',
  payload_receipts: 'Receipts',
}

/** Payload filter of a request's subject; undefined for a portal user, who records nothing. */
export function getRecordings({
  subject_type,
  subject,
}: Pick<FoundRequest, 'subject_type' | 'subject'>):
  | { device_user_reference: string }
  | { search: string }
  | { number: string }
  | undefined {
  if (subject_type === 'DeviceUser') return { device_user_reference: subject }
  return subject_type === 'Number' ? sameNumber(subject) : undefined
}

/**
 * Reports the stored data of a subject under current policies. Counts only what the reader's lists show, and marks a
 * report as confined by the reader's rights alone.
 */
export async function reportOn(
  q: Queryable,
  access: Access,
  request: FoundRequest,
): Promise<DataRequestReport> {
  const at = await readTime(q)
  const versions = await allPolicies(q)
  const spans = ruleSpans(versions)
  const minimums = versions.at(-1)?.minimums ?? []
  const mayKnow = mayKnowHolds(access)
  const query = getRecordings(request)
  const groups = query
    ? await countKept(q, { spans, minimums }, at, (values) => everyPayloadSql(q, access, query, values))
    : []
  const is_confined = !reachesAll(access)
  return {
    data_request_id: request.data_request_id,
    at,
    is_confined,
    payloads: getKept(groups, { spans, versions, minimums, mayKnow }),
    destroyed: request.subject_type === 'Number' ? null : getDestroyed(groups),
    records: is_confined ? null : await getRecords(q, versions, request, mayKnow),
  }
}

/** Whether the reader sees payloads of all groups and types, and users of all groups. */
const reachesAll = (access: Access): boolean =>
  access.lanes('payloads:list').some(({ groups, types }) => groups === 'all' && types === 'all') &&
  access.groups('users:read') === 'all'

interface RuleFacts {
  spans: readonly RuleSpan[]
  versions: readonly StoredPolicy[]
  minimums: readonly LegalMinimum[]
  mayKnow: boolean
}

/** Merges spans with the same entry. */
function getKept(groups: readonly KeptGroup[], stated: RuleFacts): KeptPayloads[] {
  const there = groups.filter(({ is_destroyed }) => !is_destroyed)
  const getRule = ({ span }: KeptGroup) => (span === null ? undefined : stated.spans[span]?.rule)
  const alike = Map.groupBy(there, (group) => JSON.stringify([group.payload_type, getRule(group) ?? null]))
  return [...alike.values()].map((same): KeptPayloads => {
    const [{ payload_type }] = same as [KeptGroup, ...KeptGroup[]]
    const rule = getRule(same[0] as KeptGroup)
    const minimum = stated.minimums.find((each) => each.payload_type === payload_type)
    return {
      payload_type,
      ...getExtent(same),
      rule: rule
        ? {
            policy_version: getVersion(rule, stated.versions),
            delete_after_days: rule.delete_after_days ?? null,
            destroy_after_days: rule.destroy_after_days ?? null,
            retention_timestamp: rule.retention_timestamp,
          }
        : null,
      minimum: minimum
        ? {
            days: minimum.days,
            legal_basis: minimum.legal_basis,
            keeps: sum(same.map(({ minimum_keeps }) => minimum_keeps)),
            until: most(same.map(({ minimum_until }) => minimum_until)),
          }
        : null,
      deleted: sum(same.map(({ deleted }) => deleted)),
      delete_at: between(same.map(({ delete_first, delete_last }) => [delete_first, delete_last])),
      destroy_at: between(same.map(({ destroy_first, destroy_last }) => [destroy_first, destroy_last])),
      held: stated.mayKnow ? sum(same.map(({ held }) => held)) : null,
      waits: getWaits(same),
    }
  })
}

/** Policy version of a rule, from 1. */
const getVersion = (rule: RuleSpan['rule'], versions: readonly StoredPolicy[]): number =>
  versions.find(({ entries }) => entries.some((entry) => entry === rule))?.policy_version ?? 0

function getWaits(same: readonly KeptGroup[]): KeptPayloads['waits'] {
  const by = Map.groupBy(
    same.flatMap(({ waits }) => waits),
    ({ reason }) => reason,
  )
  return [...by].map(([reason, of]) => ({ reason, count: sum(of.map(({ count }) => count)) }))
}

function getDestroyed(groups: readonly KeptGroup[]): NonNullable<DataRequestReport['destroyed']> {
  const gone = groups.filter(({ is_destroyed }) => is_destroyed)
  return [...Map.groupBy(gone, ({ payload_type }) => payload_type)].map(
    ([payload_type, of]: [PayloadType, KeptGroup[]]) => ({ payload_type, ...getExtent(of) }),
  )
}

const getExtent = (groups: readonly KeptGroup[]) => ({
  count: sum(groups.map(({ count }) => count)),
  first_at: Math.min(...groups.map(({ first_at }) => first_at)),
  last_at: Math.max(...groups.map(({ last_at }) => last_at)),
})

async function getRecords(
  q: Queryable,
  versions: readonly StoredPolicy[],
  { subject_type, subject, device_user_id }: FoundRequest,
  mayKnow: boolean,
): Promise<KeptRecords[]> {
  if (subject_type === 'Number') return []
  const groups = await countKeptRecords(
    q,
    versions,
    device_user_id === null
      ? { target_type: 'PortalUser', target: subject }
      : { target_type: 'DeviceUser', target: subject, device_user_id },
  )
  const stated = device_user_id === null ? await countReported(q, subject) : []
  return [...groups, ...stated].map((group) => getRecord(group, mayKnow))
}

function getRecord(group: KeptRecordGroup | ReportedGroup, mayKnow: boolean): KeptRecords {
  const { table, follows, destroy_first, destroy_last, held, ...counted } = group
  const kind = RECORDS[table]
  if (
    kind === undefined ||
    (follows !== 'Device' &&
      follows !== 'PortalUser' &&
      follows !== 'SupportAccessRequest' &&
      follows !== 'Payload')
  )
    throw new Error(`the report has no name for ${table}`)
  return {
    kind,
    follows,
    ...counted,
    destroy_at: between([[destroy_first, destroy_last]]),
    held: mayKnow ? held : null,
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0)
const known = (times: readonly (number | null)[]) => times.filter((at) => at !== null)
const most = (times: readonly (number | null)[]): number | null =>
  known(times).length > 0 ? Math.max(...known(times)) : null

function between(times: readonly (readonly [number | null, number | null])[]): KeptPayloads['delete_at'] {
  const all = known(times.flat())
  return all.length > 0 ? { earliest: Math.min(...all), latest: Math.max(...all) } : null
}
