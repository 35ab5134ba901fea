import { ClientReference, text } from '@custodia/contract'
import * as z from 'zod/mini'
import { flag, freeText, one, searchReader } from '../../components/lists/list-search.ts'

export const OVERVIEW_TABS = ['clients', 'staff'] as const

/** `/internal?tab=staff`; `edit` opens the drawer of a client's identity provider, `create` that of a new client. */
export const overviewSearch = searchReader({
  tab: one(z.enum(OVERVIEW_TABS)),
  search: freeText(text(1, 255)),
  edit: one(ClientReference),
  create: flag,
})
export type OverviewSearch = ReturnType<typeof overviewSearch>
