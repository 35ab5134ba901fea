import { deviceLogs } from './log-lists.ts'
import { ListPage } from '../../components/lists/list-page.tsx'

/** `/dashboard/devices/logs`: device logs. */
export const DeviceLogs = () => <ListPage list={deviceLogs} />
