import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadList } from '../../components/payloads/payload-list.ts'

const messages = payloadList('messages')

/** `/dashboard/services/messages`: SMS, MMS and RCS; a row leads to its conversation. */
export const MessagesList = () => <ListPage list={messages} />
