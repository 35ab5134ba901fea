import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const calls = payloadList('calls')

export const readAhead = (search: object): Promise<void> => askForRows(calls, search)

/** `/dashboard/services/calls`: recorded, aborted and blocked calls. */
export const CallsList = () => <ListPage list={calls} />
