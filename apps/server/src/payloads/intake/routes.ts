import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { announcePayloads } from './announce.ts'
import { readPayloadStatus } from './status.ts'
import { uploadPayload } from './upload.ts'

/** The endpoints for devices that upload payloads. */
export const ingestRoutes = (
  ctx: AppContext,
): Handlers<'announcePayloads' | 'uploadPayload' | 'readPayloadStatus'> => ({
  announcePayloads: announcePayloads(ctx),
  uploadPayload: uploadPayload(ctx),
  readPayloadStatus: readPayloadStatus(ctx),
})
