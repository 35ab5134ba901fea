import { ApprovalState, ClientReference } from '@custodia/contract'
import { flag, one, searchReader } from '../../components/lists/list-search.ts'

/** `/internal/support?state=approved`; `request` opens the drawer for `client`. */
export const supportSearch = searchReader({
  state: one(ApprovalState),
  request: flag,
  client: one(ClientReference),
})
export type SupportSearch = ReturnType<typeof supportSearch>
