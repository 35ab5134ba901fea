import { makeActivityPartitions } from './activities/jobs.ts'
import { watchLeavers } from './device-users/leavers.ts'
import { watchStandings } from './device-users/jobs.ts'
import { deactivateInactive } from './devices/inactivity.ts'
import { endUnansweredCommands, wakePhone } from './devices/commands/jobs.ts'
import { keepDeviceLogs } from './devices/logs/jobs.ts'
import { purgeDeviceTokens } from './devices/jobs.ts'
import { refileDevices } from './devices/refile.ts'
import { watchLicenses } from './licenses/jobs.ts'
import { drawTexts } from './payloads/processing/draw-texts.ts'
import { indexSearch } from './payloads/processing/index-search.ts'
import { processPayload } from './payloads/processing/process-job.ts'
import { renderPayload } from './payloads/processing/render-job.ts'
import { sealDocuments } from './payloads/processing/seal-documents.ts'
import { sweepObjects, sweepPayloads } from './payloads/intake/sweep.ts'
import { purgeSessions } from './sessions/jobs.ts'
import { gatherFigures } from './statistics/jobs.ts'
import { purgeVerifications } from './devices/verification/jobs.ts'
import { verifyNightly } from './verify/jobs.ts'
import type { JobKind } from './jobs/kind.ts'

/** Every kind of job that workers run. */
export const JOB_KINDS: readonly JobKind<unknown>[] = [
  processPayload,
  renderPayload,
  sweepPayloads,
  sweepObjects,
  sealDocuments,
  drawTexts,
  indexSearch,
  purgeDeviceTokens,
  deactivateInactive,
  refileDevices,
  endUnansweredCommands,
  wakePhone,
  keepDeviceLogs,
  watchStandings,
  watchLeavers,
  watchLicenses,
  purgeSessions,
  gatherFigures,
  purgeVerifications,
  makeActivityPartitions,
  verifyNightly,
]
