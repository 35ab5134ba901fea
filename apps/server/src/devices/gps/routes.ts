import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { DayKeys } from './day-keys.ts'
import { listGpsOfDevice, listGpsOfUser, listLastPositions } from './list.ts'
import { uploadGps } from './upload.ts'

type Rows = 'listLastPositions' | 'listGpsOfDevice' | 'listGpsOfUser' | 'uploadGps'

/** Routes of positions. */
export function gpsRoutes(ctx: AppContext): Handlers<Rows> {
  const dayKeys = new DayKeys(ctx)
  return {
    listLastPositions: listLastPositions(ctx, dayKeys),
    listGpsOfDevice: listGpsOfDevice(ctx, dayKeys),
    listGpsOfUser: listGpsOfUser(ctx, dayKeys),
    uploadGps: uploadGps(ctx, dayKeys),
  }
}
