import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { recordBuiltinRoles } from './access/load.ts'
import { purgeAccessDays } from './access/note-access.ts'
import { makeActivityPartitions } from './activities/jobs.ts'
import { forgetDeliveries } from './alerts/delivery-store.ts'
import { listClients } from './clients/store.ts'
import { finishDestruction } from './destruction/jobs.ts'
import { watchOffboarded, watchStatuses } from './device-users/jobs.ts'
import { purgeDeviceTokens } from './devices/access-token.ts'
import { watchCapture } from './devices/capture/capture.ts'
import { endUnansweredCommands, wakeDevice } from './devices/commands/jobs.ts'
import { purgeVerifications } from './devices/numbers/numbers.ts'
import { reassignDevices } from './devices/reassign.ts'
import { forgetAlerts, REPORT_KINDS } from './devices/reports/store.ts'
import { forgetSharedFacts } from './devices/reports/telemetry-store.ts'
import { deactivateInactive, watchSilence } from './devices/silence.ts'
import { mailEnrolment } from './enrolments/jobs.ts'
import { FEATURES } from './features.ts'
import { changeIdentityProviders } from './identity-providers/jobs.ts'
import { type JobKind, jobKind, periodicJob } from './jobs/kind.ts'
import { watchLicenses } from './licenses/jobs.ts'
import {
  carryOutRun as carryOutMigration,
  eraseMigrationFiles,
  resumeMigrations,
} from './migrations/start.ts'
import { sweepObjects, sweepPayloads } from './payloads/intake/sweep.ts'
import { lockChanged, lockDaily } from './payloads/locks.ts'
import { purgePlayheads } from './payloads/playheads/routes.ts'
import { processPayload } from './payloads/processing/process.ts'
import { renderPayload } from './payloads/processing/render-job.ts'
import { stateCaptures } from './payloads/sequence.ts'
import { dropEmptyMonths, makeMonths } from './ports/database/partitions.ts'
import type { Mailer } from './ports/mail/port.ts'
import { carryOutRetention } from './retention/engine.ts'
import { watchRetention } from './retention/watch.ts'
import { mailRecipient, shareCheckpoint } from './sealed-log/share.ts'
import { timeStampRecipient } from './sealed-log/time-stamp.ts'
import { witnessRecipient } from './sealed-log/witness.ts'
import { purgeSessions, watchTemporaryAccess } from './sessions/jobs.ts'
import { gatherFigures } from './statistics/jobs.ts'
import { removeDeviceKeys } from './tenants/jobs.ts'
import {
  carryOutTransfer,
  checkpointTargets,
  scheduleTransfers,
  watchTransferKeys,
} from './transfers/jobs.ts'
import { reconcileConfig } from './transfers/reconciliation/reconcile.ts'
import { dueReconciliations } from './transfers/reconciliation/reconciliation-store.ts'
import { verifyNightly } from './verify/jobs.ts'

/** Days for which one may look up what became of a delivery. */
const KEPT = 30

/** Forgets deliveries that arrived or were given up long ago. */
const purgeDeliveries = periodicJob({
  name: 'alerts.deliveries.purge',
  every: 3600,
  async run(ctx) {
    const before = ctx.now() - KEPT * 86_400
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetDeliveries(tx, before))
  },
})

/** Seconds between retries. */
const EVERY = 3600

const reconcileTransfer = jobKind({
  name: 'transfers.reconcile-config',
  input: z.object({ client_id: z.int(), client: z.string(), reference: z.string() }),
  key: ({ reference }) => reference,
  fair: {
    lanes: { reconciliations: { batch: 1, workers: 4, per_client: 1, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'reconciliations', cost: 1 }),
    is_swept: true,
  },
  run: reconcileConfig,
})

/** Reconciles each config once per UTC day. */
const reconcileTransfers = periodicJob({
  name: 'transfers.reconcile',
  every: EVERY,
  async run(ctx) {
    for (const account of await listClients(ctx.db))
      await ctx.db.write(account.client_id, async (tx) => {
        const due = await dueReconciliations(tx, ctx.now())
        const inputs = due.map((reference) => ({ ...account, reference }))
        await ctx.jobs.send(tx, reconcileTransfer, ...inputs)
      })
  },
})

/** Seconds after which the keys of an epoch are sealed under another. */
const EPOCH = 6 * 86_400
/** Milliseconds until every process sees a write of another: shared file systems cache reads for up to a minute. */
const SETTLE = 75_000

/**
 * Starts a new key version of the key slots, so that no one can recover erased keys; continues an interrupted run.
 */
const rollKeys = periodicJob({
  name: 'keys.roll',
  every: 3600,
  retries: 1,
  async run({ keys, log, now }, _input, signal) {
    const made = await keys.keyVersionsMadeAt()
    const oldest = made[0]
    if (oldest === undefined || (made.length === 1 && now() - oldest < EPOCH)) return
    const rolled = await keys.roll(() => pause(SETTLE, undefined, { signal }))
    log.info(rolled, 'the keys were sealed under a new epoch')
  },
})

/** Hands checkpoints of the sealed logs to parties outside of this installation. */
const shareCheckpoints = periodicJob({
  name: 'sealed-log.share',
  every: 60,
  retries: 1,
  async run(ctx, _input, signal) {
    const { checkpointMails, clientPortalUrl, timeStampUrl, witness } = ctx.config
    const host = new URL(clientPortalUrl).hostname
    for (const account of await listClients(ctx.db)) {
      const { client_id, client } = account
      const mails = ctx.mail ? (checkpointMails[client] ?? checkpointMails['*'] ?? []) : []
      const recipients = [
        ...(await checkpointTargets(ctx, account)),
        ...mails.map((to) => mailRecipient(ctx.mail as Mailer, { client, host, to })),
        ...(timeStampUrl === undefined ? [] : [timeStampRecipient(timeStampUrl)]),
        ...(witness ? [witnessRecipient(witness, (work) => ctx.db.read(client_id, work))] : []),
      ]
      await shareCheckpoint(ctx, account, recipients, signal)
    }
  },
})

/** Seconds for which alert ids detect repeats. */
const ALERTS_KEPT = 30 * 86_400
/** Seconds that an empty monthly partition is kept after its end. */
const EMPTY_KEPT = 31 * 86_400

/** Creates partitions of device reports in advance, drops old empty ones and deletes what no report needs. */
const keepReports = periodicJob({
  name: 'device-reports.partitions',
  every: 86_400,
  async run({ db, now }, _input, signal) {
    for (const { list } of REPORT_KINDS) {
      await makeMonths(db, list, now(), signal)
      await dropEmptyMonths(db, list, now() - EMPTY_KEPT, signal)
    }
    for (const { client_id } of await listClients(db)) {
      await db.write(client_id, (tx) => forgetAlerts(tx, now() - ALERTS_KEPT))
      await db.write(client_id, forgetSharedFacts)
    }
  },
})

/** Every kind of job that workers run. */
export const JOB_KINDS: readonly JobKind<unknown>[] = [
  processPayload,
  renderPayload,
  sweepPayloads,
  sweepObjects,
  lockChanged,
  lockDaily,
  stateCaptures,
  purgeDeviceTokens,
  deactivateInactive,
  watchSilence,
  watchCapture,
  reassignDevices,
  endUnansweredCommands,
  mailEnrolment,
  wakeDevice,
  keepReports,
  watchStatuses,
  watchOffboarded,
  watchLicenses,
  purgeSessions,
  watchTemporaryAccess,
  changeIdentityProviders,
  removeDeviceKeys,
  purgePlayheads,
  purgeAccessDays,
  recordBuiltinRoles,
  carryOutRetention,
  watchRetention,
  finishDestruction,
  carryOutTransfer,
  scheduleTransfers,
  watchTransferKeys,
  reconcileTransfer,
  reconcileTransfers,
  carryOutMigration,
  resumeMigrations,
  eraseMigrationFiles,
  gatherFigures,
  purgeVerifications,
  makeActivityPartitions,
  rollKeys,
  purgeDeliveries,
  verifyNightly,
  shareCheckpoints,
  ...Object.values(FEATURES).flatMap((feature): readonly JobKind<unknown>[] => feature.jobs),
]
