import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { reportAlert } from './alert.ts'
import { listDeviceLogs, listLogsOfDevice, listLogsOfUser } from './list.ts'
import { uploadLogs } from './upload.ts'

type Rows = 'listDeviceLogs' | 'listLogsOfDevice' | 'listLogsOfUser' | 'uploadLogs' | 'reportAlert'

/** What phones log, and what they say somebody should look at. */
export const deviceLogRoutes = (house: House): Handlers<Rows> => ({
  listDeviceLogs: listDeviceLogs(house),
  listLogsOfDevice: listLogsOfDevice(house),
  listLogsOfUser: listLogsOfUser(house),
  uploadLogs: uploadLogs(house),
  reportAlert: reportAlert(house),
})
