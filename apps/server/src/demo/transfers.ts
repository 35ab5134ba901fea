import { setTimeout as sleep } from 'node:timers/promises'
import { TRANSFERABLE_TYPES, type TransferConfigInput, type TransferSettings } from '@custodia/contract'
import { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { findClient, lockClient } from '../clients/store.ts'
import { nextStart, startRun } from '../transfers/jobs.ts'
import { reachOfRole } from '../transfers/reach.ts'
import { reconcileConfig } from '../transfers/reconciliation/reconcile.ts'
import { findRun } from '../transfers/run-store.ts'
import { findConfig, lockConfig, writeConfig } from '../transfers/store.ts'
import { NO_SECRETS, sealSecrets } from '../transfers/target.ts'
import { noteDemoAct } from './reviews.ts'

/** The storage of a pretend customer, to which the demo's account transfers. */
export interface DemoTarget {
  host: string
  port: number
  username: string
  password: string
  /** Of its host key, as `ssh-keygen -l` shows it. */
  fingerprint: string
}

const BY = 'alice'
/** As which the demo's configs deliver. */
const ROLE = 'Regulatory Producer'
/** A config for visitors to run by hand. Its scheduled hour is far from the hours of visitors. */
const TO_RUN = {
  reference: 'customer-archive',
  payload_types: [...TRANSFERABLE_TYPES],
  schedule: 'cron(0 3 ? * SUN *)',
  transfer_file_format: 'Zipped',
  root_directory: '/records',
} as const
/** Small, and has run. */
const HAS_RUN = {
  reference: 'interview-archive',
  payload_types: ['Interview'],
  schedule: 'cron(30 3 ? * SUN *)',
  transfer_file_format: 'Uncompressed',
  root_directory: '/interviews',
} as const
/** Seconds that its run may take, with all else that a demo does when it begins. */
const RUN_SECONDS = 120

/** Transfer configs that go to that storage, unless the account has them: one has not run yet, the other runs now and is reconciled. */
export async function seedDemoTransfers(ctx: AppContext, client: string, target: DemoTarget): Promise<void> {
  await seedConfig(ctx, client, target, TO_RUN)
  if (await seedConfig(ctx, client, target, HAS_RUN)) await deliver(ctx, client)
}

/** Whether it was not there. */
async function seedConfig(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
  { host, port, username, password, fingerprint }: DemoTarget,
  { reference, root_directory, payload_types, ...how }: typeof TO_RUN | typeof HAS_RUN,
): Promise<boolean> {
  const account = await findClient(ctx.db, client)
  if (!account) return false
  const settings: TransferSettings = {
    transfer_type: 'Payload',
    payload_types: [...payload_types],
    pgp_key: null,
    groups: null,
    role_reference: ROLE,
    ...how,
    params: { target_type: 'SFTP', server: host, port, username, root_directory, host_key: fingerprint },
    is_active: true,
  }
  const secrets: Pick<TransferConfigInput, 'sftp_password'> = { sftp_password: password }
  const sealed = await sealSecrets(ctx, client, reference, NO_SECRETS, secrets)
  const now = ctx.now()
  return ctx.db.write(account.client_id, async (tx) => {
    await lockClient(tx)
    if (await findConfig(tx, reference)) return false
    const next_at = nextStart(settings, now)
    await writeConfig(tx, reference, settings, sealed, {
      updated_at: now,
      updated_by: BY,
      gathered_to: null,
      next_at,
      reach: reachOfRole(await new AccessCache(ctx.db).getRights(tx), settings).reach,
    })
    const parameters = { params: { transfer_config_reference: reference }, body: settings }
    await noteDemoAct(ctx, tx, { by: BY, at: now, action: 'transfer_configs:create', parameters })
    return true
  })
}

/** Runs the engine as the Run now button does, and reconciles the past days as the daily job does. */
async function deliver(ctx: AppContext, client: string): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const { client_id } = account
  const { reference } = HAS_RUN
  const transfer_id = await ctx.db.write(client_id, async (tx) => {
    const stored = await lockConfig(tx, reference)
    if (!stored) return undefined
    const at = ctx.now()
    const parameters = { params: { transfer_config_reference: reference } }
    await noteDemoAct(ctx, tx, { by: BY, at, action: 'transfer_configs:run', parameters })
    return startRun(ctx, tx, stored, { now: at, by: BY, scheduled_for: null })
  })
  if (transfer_id === undefined) return
  const signal = AbortSignal.timeout(RUN_SECONDS * 1000)
  while ((await ctx.db.read(client_id, (q) => findRun(q, transfer_id)))?.completed_at === null)
    await sleep(250, undefined, { signal })
  await reconcileConfig(ctx, { client_id, client, reference }, signal)
}
