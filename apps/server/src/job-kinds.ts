import { purgeAccessDays } from './access/jobs.ts'
import { makeActivityPartitions } from './activities/jobs.ts'
import { purgeMails, sendMails, sendMailsOfClient } from './alert-mails/jobs.ts'
import { purgeDeliveries, sendToWebhook, sendWebhooks } from './alert-webhooks/jobs.ts'
import { removeDeviceKeys } from './tenants/jobs.ts'
import { watchDataRequests } from './data-requests/jobs.ts'
import { watchOffboarded } from './device-users/offboarded.ts'
import { watchStatuses } from './device-users/jobs.ts'
import { deactivateInactive } from './devices/inactivity.ts'
import { endUnansweredCommands, wakePhone } from './devices/commands/jobs.ts'
import { keepGpsMonths } from './devices/gps/jobs.ts'
import { keepDeviceLogs } from './devices/logs/jobs.ts'
import { keepTelemetry } from './devices/telemetry/jobs.ts'
import { purgeDeviceTokens } from './devices/jobs.ts'
import { watchCapture } from './devices/capture/watch.ts'
import { watchSilence } from './devices/silence.ts'
import { reassignDevices } from './devices/reassign.ts'
import { changeIdentityProviders } from './identity-providers/jobs.ts'
import { rollKeys } from './key-rotation/jobs.ts'
import { watchLicenses } from './licenses/jobs.ts'
import { processPayload } from './payloads/processing/process-job.ts'
import { renderPayload } from './payloads/processing/render-job.ts'
import { indexContent } from './payloads/words/index-words.ts'
import { sweepObjects, sweepPayloads } from './payloads/intake/sweep.ts'
import { purgeExports } from './payloads/exports/jobs.ts'
import { purgePlayheads } from './payloads/playheads/jobs.ts'
import { finishDestruction } from './destruction/jobs.ts'
import { carryOutRetention } from './retention/jobs.ts'
import { watchRetention } from './retention/watch.ts'
import { purgeSessions } from './sessions/jobs.ts'
import { gatherFigures } from './statistics/jobs.ts'
import { purgeVerifications } from './devices/verification/jobs.ts'
import { verifyNightly } from './verify/jobs.ts'
import { carryOutRun as carryOutMigration, eraseMigrationFiles, resumeMigrations } from './migrations/jobs.ts'
import { carryOutTransfer, scheduleTransfers, watchTransferKeys } from './transfers/jobs.ts'
import { reconcileTransfer, reconcileTransfers } from './transfers/reconciliation/jobs.ts'
import type { JobKind } from './jobs/kind.ts'

/** Every kind of job that workers run. */
export const JOB_KINDS: readonly JobKind<unknown>[] = [
  processPayload,
  renderPayload,
  sweepPayloads,
  sweepObjects,
  indexContent,
  purgeDeviceTokens,
  deactivateInactive,
  watchSilence,
  watchCapture,
  reassignDevices,
  endUnansweredCommands,
  wakePhone,
  keepDeviceLogs,
  keepGpsMonths,
  keepTelemetry,
  watchDataRequests,
  watchStatuses,
  watchOffboarded,
  watchLicenses,
  purgeSessions,
  changeIdentityProviders,
  removeDeviceKeys,
  purgePlayheads,
  purgeAccessDays,
  purgeExports,
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
  sendToWebhook,
  sendWebhooks,
  purgeDeliveries,
  sendMails,
  sendMailsOfClient,
  purgeMails,
  verifyNightly,
]
