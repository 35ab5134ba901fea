import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const messages = payloadList('messages')

export const readAhead = (search: object): Promise<void> => askForRows(messages, search)

/** `/dashboard/services/messages`: SMS, MMS and RCS; a row leads to its conversation. */
export const MessagesList = () => <ListPage list={messages} />
