import {
  type Fault,
  fault,
  type ProposalAnswer,
  type Sample,
  TRANSFER_SECRETS,
  type TransferConfig,
  type TransferConfigInput,
  type TransferConfigReview,
  type TransferSettings,
  type TransferWidening,
} from '@custodia/contract'
import { intersectReach, subtractReach, widenings } from '@custodia/domain'
import { assertPermitted, getChanger, impactOfRoleUse, mayGrantRoleUse } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import { lockClient } from '../clients/store.ts'
import { getActor, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { pageByName } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { isRequiredGate } from '../payload-records/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import { type DeferredActs, findRule, needsSecond } from '../proposals/store.ts'
import { nextStart } from './jobs.ts'
import { type Decision, keyFaults, reachOfRole, settingsFaults, TRANSFER_ACTIONS } from './reach.ts'
import {
  countConfigs,
  findConfig,
  listConfigs,
  lockConfig,
  removeConfig,
  type StoredConfig,
  wasUsed,
  writeConfig,
} from './store.ts'
import { keptSecrets, type SealedSecrets, sealSecrets } from './target.ts'

type Rows =
  | 'listTransferConfigs'
  | 'readTransferConfig'
  | 'createTransferConfig'
  | 'updateTransferConfig'
  | 'reviewTransferConfig'
  | 'deleteTransferConfig'
type Parts = Pick<AppContext, 'cursors' | 'keys'>

/** Transfer config routes. */
export const transferConfigRoutes = (ctx: Parts, access: AccessCache): Handlers<Rows> => ({
  listTransferConfigs: (context, { query }) =>
    context.read(async (q) => {
      const { search = '' } = query
      if (query.type === 'total') return { total: await countConfigs(q, search) }
      return pageByName(
        ctx.cursors,
        { name: 'transfer_configs', client_id: context.caller.client_id, query },
        (after, limit) => listConfigs(q, { search, after, limit }),
        ({ transfer_config_reference }) => transfer_config_reference,
      )
    }),

  readTransferConfig: async (context, { params }) => {
    const { config, reached_groups } = await context.read(async (q) => {
      const found = await findConfig(q, params.transfer_config_reference)
      if (!found) throw missing()
      return {
        config: found.config,
        reached_groups: reachedGroups(await access.getRights(q), context, found.config),
      }
    })
    return { ...config, reached_groups }
  },

  createTransferConfig: (context, { params, body }) =>
    context.write(async (tx) => {
      const reference = params.transfer_config_reference
      await lockClient(tx)
      if ((await findConfig(tx, reference)) || (await wasUsed(tx, reference)))
        throw new Problem('already_exists')
      return save(ctx, await access.getRights(tx), context, tx, reference, body)
    }),

  updateTransferConfig: (context, { params, body }) =>
    context.write(async (tx) => {
      const present = await lockConfig(tx, params.transfer_config_reference)
      if (!present) throw missing()
      assertUnchanged(context, present.config.version)
      return save(
        ctx,
        await access.getRights(tx),
        context,
        tx,
        params.transfer_config_reference,
        body,
        present,
      )
    }),

  reviewTransferConfig: (context, { params, body }) =>
    context.read((q) => getReview(ctx, access, context, q, params.transfer_config_reference, body)),

  async deleteTransferConfig(context, { params }) {
    await context.write(async (tx) => {
      const present = await lockConfig(tx, params.transfer_config_reference)
      if (!present) throw missing()
      assertUnchanged(context, present.config.version)
      if (await isRequiredGate(tx, 'required_transfers', params.transfer_config_reference))
        throw new Problem('in_use', { detail: 'the retention policy requires its deliveries' })
      await removeConfig(tx, params.transfer_config_reference)
    })
    return {}
  },
})

const missing = () => new Problem('not_found', { detail: 'no such transfer config' })

/** Group names in the sample of a config. */
const NAMED_GROUPS = 5

/** The groups that a config reaches, as far as the caller sees them. */
function reachedGroups(rights: Rights, { caller }: PortalContext, config: TransferSettings): Sample {
  const { reach } = reachOfRole(rights, config)
  const is_all = reach.some(({ groups }) => groups === 'all')
  const reached = new Set(reach.flatMap(({ groups }) => (groups === 'all' ? [] : [...groups])))
  const seen = caller.access.groups('groups:list')
  const names = rights.groupIndex.groups
    .filter(
      ({ group_id, is_reserved }) =>
        !is_reserved && (is_all || reached.has(group_id)) && (seen === 'all' || seen.includes(group_id)),
    )
    .map(({ group_reference }) => group_reference)
  return {
    is_all,
    count: names.length,
    first: names.slice(0, NAMED_GROUPS),
    ...(seen !== 'all' && { is_partial: true }),
  }
}

/** The settings to save and their impact. */
interface Evaluation {
  settings: TransferSettings
  sealed: SealedSecrets
  decision: Decision
  faults: Fault[]
  widened: TransferWidening[]
}

async function evaluateSave(
  ctx: Parts,
  rights: Rights,
  context: PortalContext,
  reference: string,
  input: TransferConfigInput,
  present: StoredConfig | undefined,
): Promise<Evaluation> {
  const { zip_password, sftp_password, sftp_private_key, ...given } = input
  const { groups = present?.config.groups ?? null } = given
  const role_reference = getRole(rights, context, { ...given, groups }, present)
  const settings: TransferSettings = { ...given, schedule: given.schedule || null, groups, role_reference }
  const secrets = { zip_password, sftp_password, sftp_private_key }
  const sealed = await sealSecrets(
    ctx,
    context.caller.client,
    reference,
    keptSecrets(input, present),
    secrets,
  )
  const decision = reachOfRole(rights, settings)
  const faults = [
    ...settingsFaults(input, sealed, context.now, present),
    ...(await keyFaults(input.pgp_key)),
    ...groupFaults(rights, context, groups ?? [], present),
    ...(given.role_reference ? roleFaults(rights, given.role_reference, decision) : []),
  ]
  const widened = [
    ...widenings(present && leavesNow(rights, present), { settings, ...decision }),
    ...(present ? TRANSFER_SECRETS.filter((secret) => input[secret] !== undefined) : []).map((changed) => ({
      changed,
      before: [],
      after: [],
    })),
  ]
  return { settings, sealed, decision, faults, widened }
}

/** Problems: invalid_input; escalation; already_proposed and person_required under dual control. */
async function save(
  ctx: Parts,
  rights: Rights,
  context: PortalContext,
  tx: Tx,
  reference: string,
  input: TransferConfigInput,
  present?: StoredConfig,
): Promise<TransferConfig | ProposalAnswer> {
  const evaluation = await evaluateSave(ctx, rights, context, reference, input, present)
  const { settings, sealed, decision, faults, widened } = evaluation
  if (faults.length > 0) throw new Problem('invalid_input', { faults })
  const by = { now: context.now, by: getActor(context.caller) }
  if (widened.length > 0) {
    await assertPermitted(context, tx, impactOfRoleUse(rights, getChanger(context), getUse(settings)), {
      what: { text: 'escalated_by_transfer', name: reference },
      confirm_lockout: undefined,
    })
    const proposed = await proposeIfAsked(context, tx, async () => ({
      subject: reference,
      act: {
        kind: 'SaveTransferConfig',
        transfer_config_reference: reference,
        settings,
        new_secrets: TRANSFER_SECRETS.filter((secret) => typeof input[secret] === 'string'),
        widened,
      },
      basis: getBasis(present, decision),
      reason_id: null,
      sealed: Object.fromEntries(
        Object.entries(sealed).map(([name, bytes]) => [name, bytes?.toString('base64') ?? null]),
      ),
    }))
    if (proposed) return proposed
    return write(tx, reference, { settings, sealed, reach: decision.reach }, by, present)
  }
  // A save by one person does not confirm what the role gained since.
  const reach = (await needsSecond(tx))
    ? intersectReach(decision.reach, present?.reach ?? [])
    : decision.reach
  return write(tx, reference, { settings, sealed, reach }, by, present)
}

/** Preview of a save: what it widens, whether it needs dual control, and rights that the caller cannot grant. */
async function getReview(
  ctx: Parts,
  access: AccessCache,
  context: PortalContext,
  q: Queryable,
  reference: string,
  input: TransferConfigInput,
): Promise<TransferConfigReview> {
  const rights = await access.getRights(q)
  const present = await findConfig(q, reference)
  const { settings, faults, widened } = await evaluateSave(ctx, rights, context, reference, input, present)
  const isWider = widened.length > 0
  const impact = impactOfRoleUse(rights, getChanger(context), getUse(settings))
  return {
    problems: faults,
    warnings: [],
    needs_second_person: isWider && ((await findRule(q))?.is_required ?? false),
    widened,
    impact: seenGroups(context.caller, rights).narrowToSeen(
      isWider ? impact : { ...impact, escalations: [] },
    ),
  }
}

/** Rights of the role that a config uses; the saving caller grants them. */
const getUse = ({ role_reference, transfer_type, payload_types }: TransferSettings) => ({
  role_reference: role_reference ?? '',
  actions: TRANSFER_ACTIONS[transfer_type],
  payload_types,
})

/** The named role, else the current one, else the caller's first own role that delivers without an escalation. */
function getRole(
  rights: Rights,
  context: PortalContext,
  input: Pick<TransferConfigInput, 'role_reference' | 'transfer_type' | 'payload_types'> &
    Pick<TransferSettings, 'groups'>,
  present: StoredConfig | undefined,
): string | null {
  if (input.role_reference !== undefined) return input.role_reference
  if (present) return present.config.role_reference
  const fits = (role_reference: string) => {
    const settings = { ...input, role_reference } as TransferSettings
    if (reachOfRole(rights, settings).reach.length === 0) return false
    return impactOfRoleUse(rights, getChanger(context), getUse(settings)).escalations.length === 0
  }
  return context.caller.roles.toSorted().find(fits) ?? null
}

/** A group that the caller does not see counts as unknown; those that the config has stay. */
function groupFaults(
  { groupIndex }: Rights,
  { caller }: PortalContext,
  groups: readonly string[],
  present: StoredConfig | undefined,
): Fault[] {
  const seen = caller.access.groups('groups:list')
  const known = new Set(
    groupIndex.groups.flatMap(({ group_id, group_reference, is_reserved }) =>
      !is_reserved && (seen === 'all' || seen.includes(group_id)) ? [group_reference] : [],
    ),
  )
  return groups.flatMap((value, index) =>
    known.has(value) || present?.config.groups?.includes(value)
      ? []
      : [fault(`groups.${index}`, 'unknown_reference', { value })],
  )
}

function roleFaults(rights: Rights, role_reference: string, { reach }: Decision): Fault[] {
  if (!rights.roles.has(role_reference))
    return [fault('role_reference', 'unknown_reference', { value: role_reference })]
  return reach.length === 0 ? [fault('role_reference', 'transfer_role')] : []
}

/** What a config delivers as saved. */
const leavesNow = (rights: Rights, { config, reach }: StoredConfig) => ({
  settings: config,
  reach: reach ?? [],
  is_watched: reachOfRole(rights, config).is_watched,
})

async function write(
  tx: Tx,
  reference: string,
  {
    settings,
    sealed,
    reach,
  }: { settings: TransferSettings; sealed: SealedSecrets; reach: Decision['reach'] },
  { now, by }: { now: number; by: string },
  present: StoredConfig | undefined,
): Promise<TransferConfig> {
  await writeConfig(tx, reference, settings, sealed, {
    updated_at: now,
    updated_by: by,
    gathered_to: gatheredTo({ settings, reach }, present),
    next_at: nextStart(settings, now),
    reach,
  })
  const saved = await findConfig(tx, reference)
  if (!saved) throw new Error('the transfer config was not stored')
  return saved.config
}

/** A change of the config or its role's reach supersedes the proposal. */
const getBasis = (present: StoredConfig | undefined, { reach, is_watched }: Decision) => ({
  version: present?.config.version ?? '',
  reach: getVersion([reach, is_watched]),
})

/** Transfer configs under dual control. */
export const deferredTransfers = (access: AccessCache): Pick<DeferredActs, 'SaveTransferConfig'> => ({
  SaveTransferConfig: {
    async getBasis(tx, { transfer_config_reference, settings }) {
      await lockClient(tx)
      const present = await lockConfig(tx, transfer_config_reference)
      return getBasis(present, reachOfRole(await access.getRights(tx), settings))
    },
    mayGrant: (rights, proposer, { settings }) => mayGrantRoleUse(rights, proposer, getUse(settings)),
    async carryOut(tx, { transfer_config_reference, settings }, { by, now, sealed: kept }) {
      const bytes = (name: keyof SealedSecrets) => {
        const text = kept?.[name] ?? null
        return text === null ? null : Buffer.from(text, 'base64')
      }
      const sealed = {
        wrapped_key: bytes('wrapped_key'),
        zip_password: bytes('zip_password'),
        sftp_password: bytes('sftp_password'),
        sftp_private_key: bytes('sftp_private_key'),
      }
      const present = await findConfig(tx, transfer_config_reference)
      const { reach } = reachOfRole(await access.getRights(tx), settings)
      await write(tx, transfer_config_reference, { settings, sealed, reach }, { now, by }, present)
    },
  },
})

/** Added types and groups are collected from the beginning; delivered payloads are not sent again. */
const gatheredTo = (
  { settings, reach }: { settings: TransferSettings; reach: Decision['reach'] },
  present: StoredConfig | undefined,
): number | null =>
  present &&
  settings.payload_types.every((type) => present.config.payload_types.includes(type)) &&
  subtractReach(reach, present.reach ?? []).length === 0
    ? present.gathered_to
    : null
