import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { reportAlert } from './alert.ts'
import { listDeviceLogs, listLogsOfDevice, listLogsOfUser } from './list.ts'
import { uploadLogs } from './upload.ts'

type Rows = 'listDeviceLogs' | 'listLogsOfDevice' | 'listLogsOfUser' | 'uploadLogs' | 'reportAlert'

/** Routes of device logs and device alerts. */
export const deviceLogRoutes = (ctx: AppContext): Handlers<Rows> => ({
  listDeviceLogs: listDeviceLogs(ctx),
  listLogsOfDevice: listLogsOfDevice(ctx),
  listLogsOfUser: listLogsOfUser(ctx),
  uploadLogs: uploadLogs(ctx),
  reportAlert: reportAlert(ctx),
})
