import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { readPayloadAudit } from './audit.ts'
import { readData, readPayloadData } from '../data/data.ts'
import { listPayloads, listPayloadsOfDevice, listPayloadsOfUser } from '../lists/list.ts'
import { suggestPayloads } from '../lists/suggest.ts'
import { listThreadsOfDevice } from '../lists/threads.ts'
import { countPayloads } from '../lists/totals.ts'
import { readPayloadPeaks } from './peaks.ts'
import { readPayload } from './read.ts'
import { readThread } from './thread.ts'
import { readThumbnails } from './thumbnails.ts'

type Calls =
  | 'countPayloads'
  | 'listPayloads'
  | 'listPayloadsOfDevice'
  | 'listPayloadsOfUser'
  | 'listThreads'
  | 'readData'
  | 'readPayload'
  | 'readPayloadAudit'
  | 'readPayloadData'
  | 'readPayloadPeaks'
  | 'readThread'
  | 'readThumbnails'
  | 'suggestPayloads'

/** The calls with which portal users find and open payloads. */
export const payloadReadRoutes = (house: House): Handlers<Calls> => ({
  countPayloads,
  listPayloads: listPayloads(house),
  listPayloadsOfDevice: listPayloadsOfDevice(house),
  listPayloadsOfUser: listPayloadsOfUser(house),
  listThreads: listThreadsOfDevice(house),
  readData: readData(house),
  readPayload: readPayload(house),
  readPayloadAudit: readPayloadAudit(),
  readPayloadData: readPayloadData(house),
  readPayloadPeaks: readPayloadPeaks(house),
  readThread: readThread(house),
  readThumbnails: readThumbnails(house),
  suggestPayloads: suggestPayloads(),
})
