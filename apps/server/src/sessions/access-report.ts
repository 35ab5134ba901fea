import type { KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ACCESS_REPORT_FORMAT, type RoleReason, AccessReport, EXPLAINED_LIMIT } from '@custodia/contract'
import type { Rights } from '../access/rights.ts'
import { findRightsAt, findRightsKnownSince, listRightsVersions } from '../access/store.ts'
import type { AppContext } from '../app-context.ts'
import { findDisplayNames } from '../device-records/names-store.ts'
import type { PortalContext } from '../http/context.ts'
import { PreparedJson } from '../http/prepared-json.ts'
import { Problem } from '../http/problem.ts'
import { timeRange } from '../http/time-range.ts'
import {
  findRecordingPast,
  findRecordings,
  type RecordingFacts,
  type RecordingPast,
} from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { checkSigned, type SignedKind, signReport } from '../ports/keys/signed-file.ts'
import { type Actor, explainer, PastRights, recordingAt } from './explain.ts'

type Report = AccessReport['report']
type Period = Report['could'][number]['periods'][number]
interface Range {
  from: number
  to: number
}

/** Who opened a recording in a period, and its length. */
export type FindOpenings = (
  q: Queryable,
  recording: Pick<RecordingFacts, 'payload_id' | 'payload_reference'>,
  range: Range,
) => Promise<Pick<Report, 'did' | 'length'>>

interface Services {
  keys: AppContext['keys']
  findOpenings: FindOpenings
  is_embedded: boolean
  is_provider: boolean
}

/** Signs the report of all who could open a recording in a period, and all who did. */
export async function readAccessReport(
  { keys, findOpenings, is_embedded, is_provider }: Services,
  context: PortalContext,
  {
    params,
    query,
  }: { params: { payload_reference: string }; query: { may: string; from: string; to: string } },
): Promise<PreparedJson<AccessReport>> {
  const { caller, now } = context
  const { payload_reference } = params
  const { from, to } = timeRange(query)
  const { may } = query
  const report = await context.readFromReplica(async (q): Promise<Report> => {
    const [recording] = await findRecordings(q, [payload_reference])
    if (!recording || !caller.access.permits(context.action, recording))
      throw new Problem('not_found', { detail: 'no such recording in reach' })
    const past = await findRecordingPast(q, recording)
    const known_since = await findRightsKnownSince(q)
    const group_ids = [recording.group_id, ...past.owners.map(({ group_id }) => group_id)]
    const known = { from: Math.max(from, known_since), to: Math.min(to, now) }
    const start = new PastRights(await findRightsAt(q, known.from, group_ids), { is_embedded })
    const changes = await listRightsVersions(q, known, group_ids)
    const found = await listCould({ recording, past, may, is_provider }, start, changes, known)
    const shown = found.could.slice(0, EXPLAINED_LIMIT)
    const names = await findDisplayNames(
      q,
      shown.map(({ actor }) => actor.user_reference),
    )
    return {
      format: ACCESS_REPORT_FORMAT,
      client: caller.client,
      payload_reference,
      payload_type: recording.payload_type,
      issued_at: now,
      may,
      from,
      to: Math.min(to, now),
      known_since,
      available: found.available,
      could: shown.map(({ actor: { kind, user_reference }, periods }) => ({
        kind,
        user_reference,
        display_name: names.get(user_reference) ?? null,
        periods,
      })),
      is_cut: found.could.length > shown.length,
      ...(await findOpenings(q, recording, { from, to })),
    }
  })
  // Prepared, because a name that is added later would break the signature.
  return new PreparedJson(JSON.stringify(await signReport(keys, report)))
}

interface Question {
  recording: RecordingFacts
  past: RecordingPast
  may: string
  is_provider: boolean
}

/** Who could do it when: between two changes of anything that decides, the answer is the same. */
async function listCould(
  { recording, past, may, is_provider }: Question,
  rightsThen: PastRights,
  changes: Awaited<ReturnType<typeof listRightsVersions>>,
  { from, to }: Range,
): Promise<{ could: { actor: Actor; periods: Period[] }[]; available: Range[] }> {
  const could = new Map<string, { actor: Actor; periods: Period[] }>()
  const available: Range[] = []
  // Each by itself: a later version does not undo an end that was reached before.
  const expiries = changes.flatMap((each) => new PastRights([each], { is_embedded: false }).expiries())
  const edges = [
    ...changes.map(({ at }) => at),
    ...past.states.map(({ at }) => at),
    ...past.owners.map(({ until }) => until),
    ...past.matters.flatMap(({ from: start, until }) => [start, until ?? start]),
    ...rightsThen.expiries(),
    ...expiries,
  ].filter((at) => at > from && at < to)
  const starts = from < to ? [...new Set([from, ...edges])].toSorted((a, b) => a - b) : []
  let rights: Rights | undefined
  let next = 0
  for (const [i, at] of starts.entries()) {
    const until = starts[i + 1] ?? to
    for (let change = changes[next]; change && change.at <= at; change = changes[++next]) {
      rightsThen.add(change)
      if (OF_RIGHTS.has(change.kind)) rights = undefined
    }
    const { group_id, matters, is_available } = recordingAt(recording, past, at)
    if (!is_available) continue
    extend(available, { from: at, to: until })
    rights ??= rightsThen.compile(is_provider)
    const explained = explainer(rights)
    const target = { group_id, payload_type: recording.payload_type, matters }
    const decisions = new Map<string, RoleReason[]>()
    const granting = (actor: Actor): RoleReason[] => {
      const key = JSON.stringify([actor.roles, actor.groups, actor.matters, actor.isSupport])
      const known = decisions.get(key)
      if (known) return known
      const { is_allowed, roles } = explained.decide(actor, may, target)
      const reasons = is_allowed ? roles.filter(({ outcome }) => outcome === 'grants') : []
      decisions.set(key, reasons)
      return reasons
    }
    for (const actor of rightsThen.actors(at)) {
      const roles = granting(actor)
      if (roles.length === 0) continue
      const key = `${actor.kind} ${actor.user_reference}`
      const { periods } = could.get(key) ?? could.set(key, { actor, periods: [] }).get(key) ?? { periods: [] }
      extend(periods, { from: at, to: until, group: explained.getGroup(group_id), roles })
    }
    // Other requests are answered between two steps.
    await setImmediate()
  }
  const rows = [...could.values()]
  return {
    could: rows.toSorted((a, b) => (a.actor.user_reference < b.actor.user_reference ? -1 : 1)),
    available,
  }
}

/** Kinds of versions that change compiled rights; the others change people. */
const OF_RIGHTS: ReadonlySet<string> = new Set(['account', 'builtin', 'group', 'role', 'tag'])

/** Adds a period, or extends the last one if it says the same and ends where this one begins. */
function extend<Of extends Range>(periods: Of[], period: Of): void {
  const last = periods.at(-1)
  const isSame =
    last && JSON.stringify({ ...last, from: 0, to: 0 }) === JSON.stringify({ ...period, from: 0, to: 0 })
  if (isSame && last.to >= period.from) last.to = period.to
  else periods.push(period)
}

const KIND: SignedKind<'report', Report> = {
  member: 'report',
  format: ACCESS_REPORT_FORMAT,
  isWhole: (file): file is AccessReport => AccessReport.safeParse(file).success,
}

/** Verifies the report of who could and who did against public keys, offline. */
export const checkAccessReport = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)
