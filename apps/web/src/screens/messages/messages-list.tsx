import { msg } from '@lingui/core/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadColumns } from '../../components/payloads/payload-columns.ts'
import { payloadList } from '../../components/payloads/payload-list.ts'
import { MessagesSearch } from '../../components/payloads/payload-search.ts'

const {
  time,
  direction,
  type,
  parties,
  user,
  group,
  length,
  state,
  flags,
  reference,
  device,
  processed,
  updated,
} = payloadColumns

const messages = payloadList('messages', {
  title: msg`Messages`,
  icon: 'message',
  columns: [
    time,
    direction,
    { ...type, width: 66 },
    parties,
    state,
    user,
    group,
    length,
    flags,
    { ...reference, isOptional: true },
    device,
    processed,
    updated,
  ],
  noMatch: msg`No messages match`,
  empty: {
    title: msg`No messages yet`,
    description: msg`SMS, MMS and RCS messages appear here as soon as an activated phone has uploaded its first one.`,
  },
  address: (search) =>
    linkOptions({ to: '/dashboard/services/messages', search: MessagesSearch.parse(search) }),
  detail: ({ payload_reference }) =>
    linkOptions({ to: '/dashboard/services/messages/$payload_reference', params: { payload_reference } }),
})

const route = getRouteApi('/dashboard/services/messages/')

/** `/dashboard/services/messages`: SMS, MMS and RCS; a row leads to its conversation. */
export function MessagesList() {
  return <ListPage list={messages} search={MessagesSearch.parse(route.useSearch())} />
}
