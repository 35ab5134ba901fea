import { msg } from '@lingui/core/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadColumns } from '../../components/payloads/payload-columns.ts'
import { payloadList } from '../../components/payloads/payload-list.ts'
import { CallsSearch } from '../../components/payloads/payload-search.ts'

const {
  time,
  direction,
  parties,
  duration,
  user,
  group,
  state,
  flags,
  reference,
  type,
  device,
  processed,
  updated,
} = payloadColumns

const calls = payloadList('calls', {
  title: msg`Calls`,
  icon: 'phone',
  columns: [
    time,
    direction,
    parties,
    duration,
    state,
    user,
    group,
    flags,
    reference,
    { ...type, isOptional: true },
    device,
    processed,
    updated,
  ],
  noMatch: msg`No calls match`,
  empty: {
    title: msg`No calls yet`,
    description: msg`Calls appear here as soon as an activated phone has recorded and uploaded its first one.`,
  },
  address: (search) => linkOptions({ to: '/dashboard/services/calls', search: CallsSearch.parse(search) }),
  detail: ({ payload_reference }) =>
    linkOptions({ to: '/dashboard/services/calls/$payload_reference', params: { payload_reference } }),
})

const route = getRouteApi('/dashboard/services/calls/')

/** `/dashboard/services/calls`: recorded, aborted and blocked calls. */
export function CallsList() {
  return <ListPage list={calls} search={CallsSearch.parse(route.useSearch())} />
}
