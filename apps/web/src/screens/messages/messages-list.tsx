import { useSearch } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadList } from '../../components/payloads/payload-list.ts'
import { MessagesSearch } from '../../components/payloads/payload-search.ts'

const messages = payloadList('messages')

/** `/dashboard/services/messages`: SMS, MMS and RCS; a row leads to its conversation. */
export function MessagesList() {
  const search = MessagesSearch.parse(useSearch({ from: '/dashboard/services/messages/' }))
  return <ListPage list={messages} search={search} />
}
