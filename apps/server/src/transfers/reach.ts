import {
  type Fault,
  fault,
  type LeftOutReason,
  type PayloadType,
  type TransferConfigInput,
  type TransferSettings,
} from '@custodia/contract'
import {
  evaluate,
  intersectReach,
  isWithinReach,
  type PayloadReach,
  reachOfLanes,
  scheduleFault,
  transferRoot,
} from '@custodia/domain'
import { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import type { AppContext } from '../app-context.ts'
import { ITEM_BYTES, type WatchedWork, WorkTooSlow } from '../jobs/watch-work.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { pgpKeyFacts } from '../ports/targets/formats/pgp.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'
import { findRule } from '../proposals/store.ts'
import type { StoredConfig } from './store.ts'
import { getRoot, type SealedSecrets } from './target.ts'

/** Rights that a role needs: payload content for deliveries, list access for reports. */
export const TRANSFER_ACTIONS = {
  Payload: ['payloads:download', 'payloads:read'],
  Report: ['payloads:list'],
} as const satisfies Record<TransferSettings['transfer_type'], readonly string[]>

type TransferScope = Pick<TransferSettings, 'role_reference' | 'transfer_type' | 'payload_types' | 'groups'>
interface Place {
  group_id: number
  payload_type: PayloadType
}

/** What a config may deliver. */
export interface Decision {
  reach: PayloadReach
  /** Whether each use of the role raises an alert. */
  is_watched: boolean
  getReason(place: Place): LeftOutReason
}

/**
 * Payloads that a role allows, of the config's groups. A transfer has no network, so a role limited to networks allows
 * none.
 */
export function reachOfRole(
  rights: Rights,
  { role_reference, transfer_type, payload_types, groups }: TransferScope,
): Decision {
  const role = role_reference === null ? undefined : rights.roles.get(role_reference)
  if (!role) return { reach: [], is_watched: false, getReason: () => 'role_missing' }
  const access = evaluate({ roles: [role], ip: '' }, { networks: 'any' })
  const actions = TRANSFER_ACTIONS[transfer_type]
  const selected: PayloadReach = [{ types: payload_types, groups: getGroups(rights, groups) }]
  const reach = actions
    .map((action) => reachOfLanes(access.lanes(action), payload_types))
    .reduce(intersectReach, selected)
  return {
    reach,
    is_watched: role.is_alertable,
    getReason: (place) => {
      const { group_id } = place
      if (role.networks !== 'any') return 'role_networks'
      if (!actions.every((action) => access.may(action))) return 'action_not_authorised'
      if (!actions.every((action) => access.permits(action, { group_id }))) return 'group_not_authorised'
      if (!isWithinReach(selected, place)) return 'group_not_selected'
      return 'type_not_authorised'
    },
  }
}

/** Ids of the groups of a config. A group that does not exist any more has none. */
function getGroups({ groupIndex }: Rights, references: readonly string[] | null): number[] | 'all' {
  if (references === null) return 'all'
  const wanted = new Set(references)
  return groupIndex.groups.flatMap(({ group_id, group_reference }) =>
    wanted.has(group_reference) ? [group_id] : [],
  )
}

/**
 * Maximum that a config delivers now: the role's reach. Under dual control also limited to what was confirmed or
 * delivered last.
 */
async function decideReach(
  q: Queryable,
  rights: Rights,
  { config, reach: known }: Pick<StoredConfig, 'config' | 'reach'>,
): Promise<Decision> {
  const decision = reachOfRole(rights, config)
  if (!(await findRule(q))?.is_required) return decision
  return {
    ...decision,
    reach: intersectReach(decision.reach, known ?? []),
    getReason: (place) =>
      isWithinReach(decision.reach, place) ? 'not_confirmed' : decision.getReason(place),
  }
}

/** Decides with current rights at each call. */
export function reachDecider({
  db,
}: Pick<AppContext, 'db'>): (q: Queryable, stored: StoredConfig) => Promise<Decision> {
  const book = new AccessCache(db)
  return async (q, stored) => decideReach(q, await book.getRights(q), stored)
}

/** Faults of a config: schedule, zip password, and what an active one needs to reach its server. */
export function settingsFaults(
  input: TransferConfigInput,
  sealed: SealedSecrets,
  now: number,
  present: StoredConfig | undefined,
): Fault[] {
  const { params, schedule, transfer_file_format, is_active } = input
  const faults: Fault[] = []
  const lacks = (field: string) => faults.push(fault(field, 'required', { field }))
  if (!isRoot(getRoot(params)))
    faults.push(
      fault(params.target_type === 'S3' ? 'params.destination' : 'params.root_directory', 'invalid'),
    )
  // An expired saved schedule does not prevent disabling the config.
  if (schedule && (is_active || schedule !== present?.config.schedule))
    faults.push(...scheduleFaults(schedule, now))
  if (transfer_file_format === 'ZippedWithPassword' && !sealed.zip_password) lacks('zip_password')
  if (transfer_file_format === 'PGP' && input.pgp_key === null) lacks('pgp_key')
  if (is_active && params.target_type === 'SFTP') {
    if (params.host_key === null) lacks('params.host_key')
    if (!sealed.sftp_password && !sealed.sftp_private_key) lacks('sftp_password')
  }
  return faults
}

/** Faults of a schedule: invalid, or it never runs. */
export function scheduleFaults(schedule: string, now: number): Fault[] {
  const why = scheduleFault(schedule, now)
  return why ? [fault('schedule', why === 'schedule_never' ? 'schedule_never' : 'schedule')] : []
}

/** Whether a path is a valid root: it must not climb. */
function isRoot(root: string): boolean {
  try {
    transferRoot(root)
    return true
  } catch {
    return false
  }
}

/** A key must encrypt now: not private, expired or signing-only. */
export async function keyFaults(pgp_key: string | null): Promise<Fault[]> {
  if (pgp_key === null) return []
  try {
    await pgpKeyFacts(pgp_key)
    return []
  } catch (error) {
    if (error instanceof TargetProblem) return [fault('pgp_key', 'pgp_key')]
    throw error
  }
}

/** The target is too slow: an immediate retry is useless. */
export class TargetTooSlow extends TargetProblem {}

/** Counts the traffic of a session and ends it with the work. */
export function watchSession(work: WatchedWork, session: TargetSession): TargetSession {
  let busy = 0
  let credit = 0
  const cut = () => void session.close()
  work.count({ isBusy: () => busy > 0, bytes: () => session.moved() + credit })
  if (work.signal.aborted) cut()
  else work.signal.addEventListener('abort', cut)
  return {
    ...session,
    async deliver(item) {
      busy++
      try {
        const done = await session.deliver(item)
        credit += Math.max(0, ITEM_BYTES - done.bytes)
        return done
      } finally {
        busy--
      }
    },
    async close() {
      work.signal.removeEventListener('abort', cut)
      await session.close()
    },
  }
}

/** Why work with a target ended: an aborted session reports a lost connection; the work knows the reason. */
export function reasonEnded({ signal }: WatchedWork, error: unknown): unknown {
  if (!signal.aborted) return error
  const { reason } = signal as { reason: unknown }
  return reason instanceof WorkTooSlow ? new TargetTooSlow('timeout', reason.message) : reason
}
