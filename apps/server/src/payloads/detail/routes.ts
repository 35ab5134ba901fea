import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { abandonPayload } from './abandon.ts'
import { readPayloadAudit } from './audit.ts'
import { readDataArchive } from '../data/archive.ts'
import { readData, readPayloadData } from '../data/data.ts'
import { readContacts } from '../lists/contacts.ts'
import { listPayloads, listPayloadsOfDevice, listPayloadsOfUser } from '../lists/list.ts'
import { suggestPayloads } from '../lists/suggest.ts'
import { listThreadsOfDevice } from '../lists/threads.ts'
import { countPayloads } from '../lists/totals.ts'
import { readPayloadContents } from './contents.ts'
import { readPayloadPeaks } from './peaks.ts'
import { readPayloadPlaces } from './places.ts'
import { readPayload, type RetentionFacts } from './read.ts'
import { restoreManyPayloads, restorePayload } from './restore.ts'
import { readThread } from './thread.ts'
import { readThumbnails } from './thumbnails.ts'

type Calls =
  | 'abandonPayload'
  | 'countPayloads'
  | 'listPayloads'
  | 'listPayloadsOfDevice'
  | 'listPayloadsOfUser'
  | 'listThreads'
  | 'readContacts'
  | 'readData'
  | 'readDataArchive'
  | 'readPayload'
  | 'readPayloadAudit'
  | 'readPayloadContents'
  | 'readPayloadData'
  | 'readPayloadPeaks'
  | 'readPayloadPlaces'
  | 'readThread'
  | 'readThumbnails'
  | 'restorePayload'
  | 'restorePayloads'
  | 'suggestPayloads'

/** The endpoints of portal users for payloads. */
export const payloadReadRoutes = (ctx: AppContext, facts: RetentionFacts): Handlers<Calls> => ({
  abandonPayload: abandonPayload(),
  countPayloads,
  listPayloads: listPayloads(ctx),
  listPayloadsOfDevice: listPayloadsOfDevice(ctx),
  listPayloadsOfUser: listPayloadsOfUser(ctx),
  listThreads: listThreadsOfDevice(ctx),
  readContacts,
  readData: readData(ctx),
  readDataArchive: readDataArchive(ctx),
  readPayload: readPayload(ctx, facts),
  readPayloadAudit: readPayloadAudit(),
  readPayloadContents: readPayloadContents(ctx),
  readPayloadData: readPayloadData(ctx),
  readPayloadPeaks: readPayloadPeaks(ctx),
  readPayloadPlaces: readPayloadPlaces(ctx),
  readThread: readThread(ctx),
  readThumbnails: readThumbnails(ctx),
  restorePayload: restorePayload(),
  restorePayloads: restoreManyPayloads(),
  suggestPayloads: suggestPayloads(),
})
