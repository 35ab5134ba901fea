import {
  DAY,
  DELETABLE_ENTITIES,
  DESTROYABLE_ENTITIES,
  type Fault,
  fault,
  type LegalMinimum,
  PAYLOAD_TYPES,
  type PayloadType,
  PREVIEW_DAYS,
  type RetentionEntry,
  type RetentionInput,
  type RetentionProposal,
  type RetentionSettings,
  type RetentionVersion,
  TRANSFERABLE_TYPES,
} from '@custodia/contract'
import { changedSubjects, ruleSpans, shortenedSubjects } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { findApp } from '../client-apps/store.ts'
import { getActor, type Handler, type Handlers } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { lockPolicies } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import type { DeferredActs } from '../proposals/store.ts'
import { readConfigTypes } from '../transfers/store.ts'
import { readClock } from './engine-store.ts'
import { countsFor } from './execution.ts'
import { countDue, type DueCounts } from './preview-store.ts'
import { countRecordsDue, type RecordsDue } from './records/count-store.ts'
import {
  allPolicies,
  countPolicies,
  findPolicies,
  findPolicy,
  insertPolicy,
  type NewPolicy,
  type StoredPolicy,
} from './store.ts'

/** Retention policy routes. */
export const retentionRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
): Handlers<'readRetention' | 'saveRetention' | 'listRetentionVersions' | 'reviewRetention'> => ({
  readRetention: async ({ caller, read }) => toResponse(caller.client, await read(findPolicy)),
  saveRetention,
  listRetentionVersions: listVersions(ctx),
  reviewRetention,
})

/** Wire form of a policy; without one everything stays. */
function toResponse(client: string, policy: StoredPolicy | undefined): RetentionSettings {
  const {
    at = null,
    by = null,
    confirmed_by: _second,
    ...kept
  } = policy ?? {
    policy_version: 0,
    entries: [],
    minimums: [],
    applies_to_kept: false,
    note: null,
    confirmed_by: null,
  }
  return {
    ...kept,
    entries: [...kept.entries],
    client,
    version: getVersion(['retention', kept.policy_version]),
    updated_at: at,
    updated_by: by,
  }
}

/**
 * Saves the next version if it changes anything; a shorter retention may need a proposal. Problems: invalid_input,
 * already_exists, changed_meanwhile, already_proposed, person_required.
 */
const saveRetention: Handler<'saveRetention'> = async (context, { body }) => {
  const { caller, write } = context
  return write(async (tx) => {
    await lockPolicies(tx)
    const versions = await allPolicies(tx)
    const before = versions.at(-1)
    const { version } = toResponse(caller.client, before)
    // The first version overwrites nothing.
    assertUnchanged(
      context,
      context.request.headers['if-match'] === undefined && !before ? undefined : version,
    )
    const policy = completed(body, before, { by: getActor(caller), confirmed_by: null })
    await assertAllowed(tx, before, policy)
    if (!isChange(before, policy)) return toResponse(caller.client, before)
    const shortened = shortenedSubjects(versions, { ...policy, at: await readClock(tx) })
    if (shortened.length > 0) {
      const proposed = await proposeIfAsked(context, tx, async () => ({
        subject: '',
        act: { kind: 'ShortenRetention', shortened, policy: body },
        basis: getBasis(before),
        reason_id: null,
      }))
      if (proposed) return proposed
    }
    await insertPolicy(tx, policy)
    return toResponse(caller.client, await findPolicy(tx))
  })
}

const completed = (
  body: RetentionInput,
  before: StoredPolicy | undefined,
  who: Pick<NewPolicy, 'by' | 'confirmed_by'>,
): NewPolicy => ({ ...body, minimums: body.minimums ?? before?.minimums ?? [], ...who })

const getBasis = (policy: StoredPolicy | undefined) => ({ policy_version: policy?.policy_version ?? 0 })

/** A shorter retention after dual control. Problem: invalid_input when the account changed since. */
export const deferredRetention: Pick<DeferredActs, 'ShortenRetention'> = {
  ShortenRetention: {
    async getBasis(tx) {
      await lockPolicies(tx)
      return getBasis(await findPolicy(tx))
    },
    async carryOut(tx, { policy }, { by, confirmed_by }) {
      const before = await findPolicy(tx)
      const next = completed(policy, before, { by, confirmed_by })
      await assertAllowed(tx, before, next)
      await insertPolicy(tx, next)
    },
  },
}

/** Whether the content changes, or applies to kept data now. */
const isChange = (before: StoredPolicy | undefined, after: NewPolicy): boolean =>
  before === undefined
    ? after.entries.length + after.minimums.length > 0
    : changedSubjects(before, after).length > 0 || (after.applies_to_kept && !before.applies_to_kept)

/** Validates a policy against legal minimums and the account. Problem: invalid_input for each entry. */
async function assertAllowed(
  q: Queryable,
  before: Pick<StoredPolicy, 'minimums'> | undefined,
  { entries, minimums }: { entries: readonly RetentionEntry[]; minimums: readonly LegalMinimum[] },
): Promise<void> {
  const faults = [...loweredMinimums(before?.minimums ?? [], minimums), ...belowMinimum(entries, minimums)]
  faults.push(...(await unknownGates(q, entries)))
  if (faults.length > 0) throw new Problem('invalid_input', { faults })
}

/** Client apps and transfer configs in the entries that are unknown or never deliver the type: it would stay for good. */
async function unknownGates(q: Queryable, entries: readonly RetentionEntry[]): Promise<Fault[]> {
  const named = (gate: 'required_receipts' | 'required_transfers') => [
    ...new Set(entries.flatMap((entry) => (entry.entity_type === 'Payload' ? entry[gate] : []))),
  ]
  const apps: string[] = []
  for (const name of named('required_receipts')) if (!(await findApp(q, name))) apps.push(name)
  const delivered = await readConfigTypes(q, named('required_transfers'))
  return entries.flatMap((entry, i) => {
    if (entry.entity_type !== 'Payload') return []
    const { payload_type, retention_timestamp, required_receipts, required_transfers } = entry
    const isNever = retention_timestamp === 'transferred_at' && !isTransferable(payload_type)
    return [
      ...required_receipts.flatMap((value, j) =>
        apps.includes(value)
          ? [fault(`entries.${i}.required_receipts.${j}`, 'unknown_reference', { value })]
          : [],
      ),
      ...required_transfers.flatMap((value, j) => {
        const types = delivered.get(value)
        if (types?.includes(payload_type)) return []
        const code = types ? 'never_transferred' : 'unknown_reference'
        return [fault(`entries.${i}.required_transfers.${j}`, code, { value })]
      }),
      ...(isNever ? [fault(`entries.${i}.retention_timestamp`, 'never_transferred')] : []),
    ]
  })
}

const isTransferable = (type: PayloadType): boolean =>
  (TRANSFERABLE_TYPES as readonly PayloadType[]).includes(type)

function loweredMinimums(before: readonly LegalMinimum[], after: readonly LegalMinimum[]): Fault[] {
  return before.flatMap(({ payload_type, days }) => {
    const at = after.findIndex((each) => each.payload_type === payload_type)
    if ((after[at]?.days ?? -1) >= days) return []
    return [fault(at < 0 ? 'minimums' : `minimums.${at}.days`, 'minimum_lowered', { limit: days })]
  })
}

/** The first act of an entry must not precede the minimum; the second counts from there. */
function belowMinimum(entries: readonly RetentionEntry[], minimums: readonly LegalMinimum[]): Fault[] {
  return entries.flatMap((entry, i) => {
    if (entry.entity_type !== 'Payload') return []
    const minimum = minimums.find(({ payload_type }) => payload_type === entry.payload_type)
    const name = entry.delete_after_days === undefined ? 'destroy_after_days' : 'delete_after_days'
    if (!minimum || (entry[name] ?? Infinity) >= minimum.days) return []
    const values = { limit: minimum.days, basis: minimum.legal_basis }
    return [fault(`entries.${i}.${name}`, 'below_minimum', values)]
  })
}

function listVersions({ cursors }: Pick<AppContext, 'cursors'>): Handler<'listRetentionVersions'> {
  return async ({ caller: { client_id, client }, readFromReplica }, { query }) => {
    if (query.type === 'total') return { total: await readFromReplica(countPolicies) }
    return getPage<RetentionVersion, readonly [number]>(
      cursors,
      { name: 'retention_versions', client_id, query },
      async (after, limit) => {
        // One version more than shown, to compute the changes of the last.
        const policies = await readFromReplica((q) => findPolicies(q, after?.[0], limit + 1))
        return policies.slice(0, limit).map(({ at, by, ...policy }, i) => ({
          client,
          ...policy,
          entries: [...policy.entries],
          updated_at: at,
          updated_by: by,
          changed: changedSubjects(policies[i + 1], policy),
        }))
      },
      ({ policy_version }) => [policy_version],
    )
  }
}

/** Preview of a policy's impact next to the current one. Problem: invalid_input, as for saving. */
const reviewRetention: Handler<'reviewRetention'> = async ({ caller, action, readFromReplica }, { body }) => {
  const { types, ...preview } = await readFromReplica((q) => getPreview(q, body))
  return { ...preview, types: types.filter(countsFor(caller.access, action)) }
}

async function getPreview(q: Queryable, proposal: RetentionProposal) {
  const versions = await allPolicies(q)
  const last = versions.at(-1)
  const minimums = proposal.minimums ?? last?.minimums ?? []
  await assertAllowed(q, last, { entries: proposal.entries, minimums })
  const at = await readClock(q)
  const times = PREVIEW_DAYS.map((days) => at + days * DAY)
  const proposed = { ...proposal, at }
  const all = [...versions, proposed]
  const before = await countDue(q, { spans: ruleSpans(versions), minimums: last?.minimums ?? [] }, times)
  const after = await countDue(q, { spans: ruleSpans(all), minimums }, times)
  const [were, will] = [await countRecordsDue(q, versions, times), await countRecordsDue(q, all, times)]
  const of = <Counted extends Counts>(due: readonly Counted[], isIt: (each: Counted) => boolean) => {
    const { deleted, destroyed } = due.find(isIt) ?? NONE_DUE
    return { deleted, destroyed }
  }
  const comesTo = ({ before: was, after: then }: { before: Counts; after: Counts }) =>
    [was, then].some(({ deleted, destroyed }) => [...deleted, ...destroyed].some((count) => count > 0))
  return {
    at,
    types: PAYLOAD_TYPES.map((payload_type) => {
      const isIt = (each: DueCounts) => each.payload_type === payload_type
      return { payload_type, before: of(before, isIt), after: of(after, isIt) }
    }).filter(comesTo),
    records: RECORD_ENTITIES.map((entity_type) => {
      const isIt = (each: RecordsDue) => each.entity_type === entity_type
      const is_capped = [...were, ...will].some((each) => isIt(each) && each.is_capped)
      return { entity_type, before: of(were, isIt), after: of(will, isIt), is_capped }
    }).filter(comesTo),
    shortened: shortenedSubjects(versions, proposed),
  }
}

const RECORD_ENTITIES = [...DELETABLE_ENTITIES, ...DESTROYABLE_ENTITIES]
type Counts = Pick<DueCounts, 'deleted' | 'destroyed'>
const NONE_DUE: Counts = { deleted: PREVIEW_DAYS.map(() => 0), destroyed: PREVIEW_DAYS.map(() => 0) }
