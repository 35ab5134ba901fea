import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadList } from '../../components/payloads/payload-list.ts'

const calls = payloadList('calls')

/** `/dashboard/services/calls`: recorded, aborted and blocked calls. */
export const CallsList = () => <ListPage list={calls} />
