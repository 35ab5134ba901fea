import { useSearch } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { PageTabs } from '../../ui/page-header.tsx'
import { CONVERSATION_LIST } from '../payloads/conversation-list.tsx'
import { listOfService } from '../payloads/recordings-list.tsx'
import { SERVICES } from '../payloads/services.ts'

const { list: to, title } = SERVICES.messages

const isGrouped = (search: object): boolean => 'tab' in search && search.tab === 'conversations'

/** Requests the first rows before the page has loaded. */
export const readAhead = (search: object): Promise<void> =>
  isGrouped(search) ? askForRows(CONVERSATION_LIST, search) : askForRows(listOfService('messages'), search)

/** List of messages, also by conversation: `/dashboard/services/messages?tab=conversations`. */
export function MessagesList() {
  const isByConversation = isGrouped(useSearch({ strict: false }))
  return (
    <PageTabs
      label={title}
      tabs={[
        { to, search: {}, label: title, isShown: !isByConversation },
        { ...CONVERSATION_LIST.address({}), label: CONVERSATION_LIST.title, isShown: isByConversation },
      ]}
    >
      {/* Neither list shows the rows of the other one while it loads. */}
      {isByConversation ? (
        <ListPage key="conversations" list={CONVERSATION_LIST} />
      ) : (
        <ListPage key="messages" list={listOfService('messages')} />
      )}
    </PageTabs>
  )
}
