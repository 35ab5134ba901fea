import type { House } from '../../house.ts'
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
import { readPayload } from './read.ts'
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

/** The calls with which portal users find and open payloads. */
export const payloadReadRoutes = (house: House): Handlers<Calls> => ({
  abandonPayload: abandonPayload(),
  countPayloads,
  listPayloads: listPayloads(house),
  listPayloadsOfDevice: listPayloadsOfDevice(house),
  listPayloadsOfUser: listPayloadsOfUser(house),
  listThreads: listThreadsOfDevice(house),
  readContacts,
  readData: readData(house),
  readDataArchive: readDataArchive(house),
  readPayload: readPayload(house),
  readPayloadAudit: readPayloadAudit(),
  readPayloadContents: readPayloadContents(house),
  readPayloadData: readPayloadData(house),
  readPayloadPeaks: readPayloadPeaks(house),
  readPayloadPlaces: readPayloadPlaces(house),
  readThread: readThread(house),
  readThumbnails: readThumbnails(house),
  restorePayload: restorePayload(),
  restorePayloads: restoreManyPayloads(),
  suggestPayloads: suggestPayloads(),
})
