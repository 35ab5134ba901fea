import { ApprovalState, ClientReference } from '@custodia/contract'
import * as z from 'zod/mini'
import { flag, one } from '../../components/lists/list-search.ts'

/** `/internal/support?state=approved`; with `request` the drawer that asks `client` is open. */
export const SupportSearch = z.object({
  state: one(ApprovalState),
  request: flag(),
  client: one(ClientReference),
})
export type SupportSearch = z.output<typeof SupportSearch>
