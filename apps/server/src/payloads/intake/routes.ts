import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { announcePayloads } from './announce.ts'
import { readPayloadStatus } from './status.ts'
import { uploadPayload } from './upload.ts'

/** How payloads come in from phones. */
export const ingestRoutes = (
  house: House,
): Handlers<'announcePayloads' | 'uploadPayload' | 'readPayloadStatus'> => ({
  announcePayloads: announcePayloads(house),
  uploadPayload: uploadPayload(house),
  readPayloadStatus: readPayloadStatus(house),
})
