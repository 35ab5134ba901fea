import { deviceLogs } from '../../components/devices/log-lists.ts'
import { ListPage } from '../../components/lists/list-page.tsx'

/** `/dashboard/devices/logs`: what phones have logged. */
export const DeviceLogs = () => <ListPage list={deviceLogs} />
