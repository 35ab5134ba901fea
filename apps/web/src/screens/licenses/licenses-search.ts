import { ClientReference, text } from '@custodia/contract'
import { freeText, one, searchReader } from '../../components/lists/list-search.ts'

/** `/internal/licenses?search=acme`; `edit` opens the drawer of a client's limits. */
export const licensesSearch = searchReader({ search: freeText(text(1, 255)), edit: one(ClientReference) })
export type LicensesSearch = ReturnType<typeof licensesSearch>
