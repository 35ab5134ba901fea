import { type Alert, type AlertQuery, type AlertState, type Total, TOTAL_CAP } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain'
import { clientColumn } from '../clients/store.ts'
import { timeRange } from '../http/time-range.ts'
import { type Bind, binder } from '../ports/database/binder.ts'
import type { GlobalQueryable, Queryable, Tx } from '../ports/database/lease.ts'
import type { AlertReach } from './reach.ts'

interface AlertOutcome {
  alert_reference: string
  status: 'Ok' | 'NoMatchingRecord' | 'NotTriggered' | 'NotPermitted' | 'OtherIssuer'
}

interface FoundAlert {
  client_id: number
  alert_reference: string
  alert_state: AlertState
  only_issuer: string | null
}

/**
 * Clears alerts for all users. Cleared alerts do not change, nor do those that only sessions of another issuer may
 * clear.
 * @param issuer of the session that clears; absent: it has none
 */
export async function clearAlerts(
  tx: Tx,
  reach: AlertReach,
  references: readonly string[],
  { cleared_reason, issuer }: { cleared_reason: string; issuer?: string | null | undefined },
): Promise<AlertOutcome[]> {
  const found = await lockAlerts(tx, reach, references)
  const getObstacle = (alert: FoundAlert) =>
    alertObstacle(alert) ??
    (alert.only_issuer !== null && alert.only_issuer !== issuer ? 'OtherIssuer' : undefined)
  const triggered = found.filter((alert) => getObstacle(alert) === undefined)
  await tx.query(
    `update alerts set alert_state = 'Cleared', cleared_reason = $2, cleared_at = $3, cleared_by = $4
     where client_id = any($5) and alert_reference = any($1)`,
    [
      triggered.map(({ alert_reference }) => alert_reference),
      cleared_reason,
      reach.now,
      reach.portal_user,
      [...new Set(triggered.map(({ client_id }) => client_id))],
    ],
  )
  return outcomes(references, found, getObstacle)
}

/** Dismisses alerts from the caller's list; a second dismissal changes nothing. */
export async function dismissAlerts(
  tx: Tx,
  reach: AlertReach,
  references: readonly string[],
): Promise<AlertOutcome[]> {
  const found = await lockAlerts(tx, reach, references)
  const dismissed = found.filter((alert) => alertObstacle(alert) === undefined)
  await tx.query(
    `insert into alert_dismissals (client_id, alert_reference, portal_user, dismissed_at)
     select client_id, alert_reference, $3, $4 from unnest($1::int[], $2::text[]) x (client_id, alert_reference)
     on conflict (client_id, alert_reference, portal_user) do update set dismissed_at = excluded.dismissed_at`,
    [
      dismissed.map(({ client_id }) => client_id),
      dismissed.map(({ alert_reference }) => alert_reference),
      reach.portal_user,
      reach.now,
    ],
  )
  return outcomes(references, found, alertObstacle)
}

/** The outcomes, with `NotPermitted` for alerts that are in the reach of the list only. */
export async function withPermitted(
  tx: Tx,
  listed: AlertReach,
  alerts: readonly AlertOutcome[],
): Promise<AlertOutcome[]> {
  const { bind, values } = binder()
  const missing = alerts.flatMap((each) => (each.status === 'NoMatchingRecord' ? [each.alert_reference] : []))
  if (missing.length === 0) return [...alerts]
  const rows = await tx.rows<Pick<FoundAlert, 'alert_reference'>>(
    `select a.alert_reference from alerts a
     where ${listed.condition(bind)} and a.alert_reference = any(${bind(missing, 'text[]')})
       and (a.expires_after is null or a.expires_after > ${bind(listed.now, 'bigint')})`,
    values,
  )
  const seen = new Set(rows.map(({ alert_reference }) => alert_reference))
  return alerts.map((each) => (seen.has(each.alert_reference) ? { ...each, status: 'NotPermitted' } : each))
}

/** In order of their references, so that two people who act on the same ones never wait for each other in a circle. */
function lockAlerts(tx: Tx, reach: AlertReach, references: readonly string[]): Promise<FoundAlert[]> {
  const { bind, values } = binder()
  return tx.rows<FoundAlert>(
    `select a.client_id, a.alert_reference, a.alert_state, a.only_issuer from alerts a
     where ${reach.condition(bind)} and a.alert_reference = any(${bind(references, 'text[]')})
       and (a.expires_after is null or a.expires_after > ${bind(reach.now, 'bigint')})
     order by a.alert_reference for update`,
    values,
  )
}

function outcomes(
  references: readonly string[],
  found: readonly FoundAlert[],
  getObstacle: (alert: FoundAlert) => Exclude<AlertOutcome['status'], 'Ok'> | undefined,
): AlertOutcome[] {
  const byReference = new Map(found.map((alert) => [alert.alert_reference, alert]))
  return references.map((alert_reference) => {
    const alert = byReference.get(alert_reference)
    return { alert_reference, status: alert ? (getObstacle(alert) ?? 'Ok') : 'NoMatchingRecord' }
  })
}

/** Place of an alert in a list: the time by which it is sorted, and its reference. */
export type AlertKey = readonly [time: number, alert_reference: string]

/** The place of an alert in lists that sort by a time. */
export const keyOfAlert =
  ({ date_filter }: Pick<AlertQuery, 'date_filter'>) =>
  (alert: Alert): AlertKey => [alert[date_filter], alert.alert_reference]
type AlertFilter = Omit<AlertQuery, 'client' | 'limit' | 'last_key' | 'type'> & {
  /** References of the requested clients, in lists across clients. */
  clients?: readonly string[] | undefined
}

const DISMISSED = (bind: Bind, { portal_user }: AlertReach) => `exists (select from alert_dismissals d
  where d.client_id = a.client_id and d.alert_reference = a.alert_reference and d.portal_user = ${bind(portal_user, 'text')})`

/** What an alert is about, in one line. */
const RELATED = `(select coalesce(string_agg(concat(e ->> 'entity_type', ' ', e ->> 'entity_id'), ', '), '')
  from jsonb_array_elements(a.related_entities) e)`

const columns = (
  bind: Bind,
  reach: AlertReach,
) => `${clientColumn('a.client_id')}, a.alert_reference, a.alert_scope, a.alert_type, a.alert_subject, a.alert_key,
  a.alert_message, a.alert_text, a.alert_state, a.alert_severity, a.expires_after, a.cleared_reason, a.cleared_at, a.cleared_by,
  a.api_action, a.related_entities, ${RELATED} as related_entity_string, coalesce(a.cleared_by, 'service') as updated_by, a.occurrence_count, a.first_occurrence, a.last_occurrence, ${DISMISSED(bind, reach)} as is_dismissed,
  a.occurrences, coalesce((select string_agg(d.portal_user, ',' order by d.portal_user) from alert_dismissals d
    where d.client_id = a.client_id and d.alert_reference = a.alert_reference), '') as dismissed_by`

const visible = (bind: Bind, reach: AlertReach) =>
  `${reach.condition(bind)} and (a.expires_after is null or a.expires_after > ${bind(reach.now, 'bigint')})`

/** Alerts behind a place (absent: from the newest), newest first. */
export function listAlerts(
  q: Queryable,
  reach: AlertReach,
  filter: AlertFilter,
  from: AlertKey | undefined,
  limit: number,
): Promise<Alert[]> {
  const { bind, values } = binder()
  const sql = filter.is_folded ? foldedPageSql : pageSql
  return q.rows<Alert>(sql(bind, reach, filter, from, limit), values)
}

/** As `listAlerts`, of all clients: the newest of each, and of those the newest. */
export function listAlertsOfClients(
  q: GlobalQueryable,
  reach: AlertReach,
  filter: AlertFilter,
  from: AlertKey | undefined,
  limit: number,
): Promise<Alert[]> {
  const { bind, values } = binder()
  const ofClient = { ...reach, condition: (b: Bind) => `a.client_id = c.client_id and ${reach.condition(b)}` }
  return q.rows<Alert>(
    `select s.* from clients c cross join lateral (${pageSql(bind, ofClient, filter, from, limit)}) s
     ${filter.clients ? `where c.client = any(${bind(filter.clients, 'text[]')})` : ''}
     order by s.${filter.date_filter} desc, s.alert_reference desc limit ${limit}`,
    values,
  )
}

/** How many alerts pass the filter, counted up to a limit. */
export async function countAlerts(
  q: GlobalQueryable,
  reach: AlertReach,
  filter: AlertFilter,
): Promise<Total> {
  const { bind, values } = binder()
  const ofClients = filter.clients
    ? `and a.client_id in (select client_id from clients where client = any(${bind(filter.clients, 'text[]')}))`
    : ''
  const found = await q.count(
    `select count(*)::int as found from (
       select from alerts a where ${visible(bind, reach)} ${conditions(bind, reach, filter)} ${ofClients}
       ${filter.is_folded ? `group by ${INCIDENT}` : ''} limit ${TOTAL_CAP + 1}) c`,
    values,
  )
  return found > TOTAL_CAP ? { total: TOTAL_CAP, is_capped: true } : { total: found }
}

/** The alert in full, or undefined when there is none in reach. */
export function findAlert(
  q: GlobalQueryable,
  reach: AlertReach,
  alert_reference: string,
): Promise<Alert | undefined> {
  const { bind, values } = binder()
  return q.row<Alert>(
    `select ${columns(bind, reach)} from alerts a where ${visible(bind, reach)} and a.alert_reference = ${bind(alert_reference, 'text')}`,
    values,
  )
}

/** References of at most `limit` triggered alerts that match the filters; an incident counts as its alerts. */
export function findTriggered(
  q: Queryable,
  reach: AlertReach,
  filter: AlertFilter,
  limit: number,
): Promise<string[]> {
  const { bind, values } = binder()
  return q.column<string>(
    `select a.alert_reference from alerts a
     where ${visible(bind, reach)} ${conditions(bind, reach, filter)} and a.alert_state = 'Triggered'
     order by a.alert_reference limit ${limit}`,
    values,
  )
}

/** What the rows of one incident share. A cleared alert is a row of its own. */
const INCIDENT = `a.client_id, a.alert_scope, a.incident_kind, case a.alert_state when 'Cleared' then a.alert_reference end`

/** Those alerts that are open, in reach and not dismissed, each with the kind of its incident. */
export async function findStatus(
  q: Queryable,
  reach: AlertReach,
  alert_references: readonly string[],
): Promise<Map<string, string>> {
  const { bind, values } = binder()
  const { rows } = await q.query<{ alert_reference: string; incident_kind: string }>(
    `select a.alert_reference, a.incident_kind from alerts a
     where ${visible(bind, reach)} and a.alert_state = 'Triggered' and not ${DISMISSED(bind, reach)}
       and a.alert_reference = any(${bind(alert_references, 'text[]')})`,
    values,
  )
  return new Map(rows.map(({ alert_reference, incident_kind }) => [alert_reference, incident_kind]))
}

/** Triggered alerts, or incidents, that the caller has not dismissed, per scope and highest severity. */
export function summariseAlerts(
  q: Queryable,
  reach: AlertReach,
  isFolded = false,
): Promise<{ scope: Alert['alert_scope']; severity: Alert['alert_severity']; count: number }[]> {
  const { bind, values } = binder()
  return q.rows<Awaited<ReturnType<typeof summariseAlerts>>[number]>(
    `select scope, severity, count(*)::int as count from (
       select a.alert_scope as scope, ${isFolded ? HIGHEST : 'a.alert_severity'} as severity from alerts a
       where ${visible(bind, reach)} and a.alert_state = 'Triggered' and not ${DISMISSED(bind, reach)}
       ${isFolded ? `group by ${INCIDENT}` : ''}) counted
     group by scope, severity order by scope, severity_rank(severity) desc`,
    values,
  )
}

type PageSql = (
  bind: Bind,
  reach: AlertReach,
  filter: AlertFilter,
  from: AlertKey | undefined,
  limit: number,
) => string

const pageSql: PageSql = (bind, reach, filter, from, limit) => {
  const time = `a.${filter.date_filter}`
  const behind = from
    ? `and (${time}, a.alert_reference) < (${bind(from[0], 'bigint')}, ${bind(from[1], 'text')})`
    : ''
  return `select ${columns(bind, reach)} from alerts a
    where ${visible(bind, reach)} ${conditions(bind, reach, filter)} ${behind}
    order by ${time} desc, a.alert_reference desc limit ${limit}`
}

const HIGHEST = `(array['Low', 'Medium', 'High'])[max(severity_rank(a.alert_severity))]`

/** As `pageSql`, with one row per incident. */
const foldedPageSql: PageSql = (bind, reach, filter, from, limit) => {
  const time = `a.${filter.date_filter}`
  const behind = from ? `where (at, newest) < (${bind(from[0], 'bigint')}, ${bind(from[1], 'text')})` : ''
  return `select ${columns(bind, reach)}, jsonb_build_object('incident_kind', a.incident_kind, 'alert_count', f.alert_count,
      'occurrence_count', f.occurrence_count, 'alert_severity', f.severity, 'triggered_at', f.triggered_at) as incident
    from (select * from (
        select a.client_id, max(${time}) as at, (array_agg(a.alert_reference order by ${time} desc, a.alert_reference desc))[1] as newest,
          count(*) as alert_count, sum(a.occurrence_count) as occurrence_count, ${HIGHEST} as severity,
          min(a.triggered_at) as triggered_at
        from alerts a where ${visible(bind, reach)} ${conditions(bind, reach, filter)} group by ${INCIDENT}) g
      ${behind} order by at desc, newest desc limit ${limit}) f
    join alerts a on a.client_id = f.client_id and a.alert_reference = f.newest
    order by f.at desc, f.newest desc`
}

function conditions(bind: Bind, reach: AlertReach, filter: AlertFilter): string {
  const parts: string[] = []
  const among = (column: string, values: readonly string[] | undefined) =>
    values && parts.push(`a.${column} = any(${bind(values, 'text[]')})`)
  among('alert_scope', filter.scopes)
  among('alert_state', filter.states)
  among('alert_severity', filter.severities)
  among('alert_type', filter.alert_types)
  among('incident_kind', filter.incident_kinds)
  const time = `a.${filter.date_filter}`
  const { from, to } = timeRange(filter)
  if (filter.from !== undefined) parts.push(`${time} >= ${bind(from, 'bigint')}`)
  if (filter.to !== undefined) parts.push(`${time} < ${bind(to, 'bigint')}`)
  if (filter.is_dismissed !== undefined)
    parts.push(`${filter.is_dismissed ? '' : 'not'} ${DISMISSED(bind, reach)}`)
  if (filter.search !== undefined)
    parts.push(`position(lower(${bind(filter.search, 'text')}) in lower(${SEARCHED})) > 0`)
  return parts.map((part) => `and ${part}`).join(' ')
}

/** What a person reads of an alert, and the references that it concerns. */
const SEARCHED = `concat_ws(e'\\n', a.alert_subject, a.alert_message, a.alert_key, a.alert_reference,
  ${RELATED})`
