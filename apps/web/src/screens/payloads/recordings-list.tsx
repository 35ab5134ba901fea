import { useSearch } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { PageTabs } from '../../ui/page-header.tsx'
import { CONVERSATION_LIST } from './conversation-list.tsx'
import { payloadList } from './export-data-button.tsx'
import { type ScreenService, SERVICES } from './services.ts'

const defined: Partial<Record<ScreenService, ReturnType<typeof payloadList>>> = {}
/** The list of a service, defined once. */
const listOf = (service: ScreenService) => (defined[service] ??= payloadList(service))

const isGrouped = (service: ScreenService, search: object): boolean =>
  service === 'messages' && 'tab' in search && search.tab === 'conversations'

/** Requests the first rows before the page has loaded. */
export const readAhead = (service: ScreenService, search: object): Promise<void> =>
  isGrouped(service, search) ? askForRows(CONVERSATION_LIST, search) : askForRows(listOf(service), search)

/** List of a service's recordings: `/dashboard/services/calls`; messages also by conversation. */
export function RecordingsList({ service }: { service: ScreenService }) {
  const isByConversation = isGrouped(service, useSearch({ strict: false }))
  if (service !== 'messages') return <ListPage list={listOf(service)} />
  const { list: to, title } = SERVICES[service]
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
        <ListPage key="messages" list={listOf(service)} />
      )}
    </PageTabs>
  )
}
