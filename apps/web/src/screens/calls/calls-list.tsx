import { useSearch } from '@tanstack/react-router'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadList } from '../../components/payloads/payload-list.ts'
import { CallsSearch } from '../../components/payloads/payload-search.ts'

const calls = payloadList('calls')

/** `/dashboard/services/calls`: recorded, aborted and blocked calls. */
export function CallsList() {
  return (
    <ListPage list={calls} search={CallsSearch.parse(useSearch({ from: '/dashboard/services/calls/' }))} />
  )
}
