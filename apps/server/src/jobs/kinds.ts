import { makeActivityPartitions } from '../activities/jobs.ts'
import { purgeDeviceTokens } from '../devices/jobs.ts'
import { drawTexts } from '../payloads/draw-texts.ts'
import { processPayload } from '../payloads/process-job.ts'
import { renderPayload } from '../payloads/render-job.ts'
import { sealDocuments } from '../payloads/seal-documents.ts'
import { sweepObjects, sweepPayloads } from '../payloads/sweep.ts'
import { purgeSessions } from '../sessions/jobs.ts'
import { gatherFigures } from '../statistics/jobs.ts'
import { purgeVerifications } from '../verifications/jobs.ts'
import { verifyNightly } from '../verify/jobs.ts'
import type { JobKind } from './kind.ts'

/** Every kind of job that workers run. */
export const JOB_KINDS: readonly JobKind<unknown>[] = [
  processPayload,
  renderPayload,
  sweepPayloads,
  sweepObjects,
  sealDocuments,
  drawTexts,
  purgeDeviceTokens,
  purgeSessions,
  gatherFigures,
  purgeVerifications,
  makeActivityPartitions,
  verifyNightly,
]
