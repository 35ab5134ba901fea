import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { DayKeys } from './day-keys.ts'
import { listGpsOfDevice, listGpsOfUser, listLastPositions } from './list.ts'
import { uploadGps } from './upload.ts'

type Rows = 'listLastPositions' | 'listGpsOfDevice' | 'listGpsOfUser' | 'uploadGps'

/** Where phones were. */
export function gpsRoutes(house: House): Handlers<Rows> {
  const dayKeys = new DayKeys(house)
  return {
    listLastPositions: listLastPositions(house, dayKeys),
    listGpsOfDevice: listGpsOfDevice(house, dayKeys),
    listGpsOfUser: listGpsOfUser(house, dayKeys),
    uploadGps: uploadGps(house, dayKeys),
  }
}
