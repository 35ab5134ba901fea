import { ClientReference, text } from '@custodia/contract'
import * as z from 'zod/mini'
import { freeText, one } from '../../components/lists/list-search.ts'

/** `/internal/licenses?search=acme`; with `edit` the drawer of that client's limits is open. */
export const LicensesSearch = z.object({ search: freeText(text(1, 255)), edit: one(ClientReference) })
export type LicensesSearch = z.output<typeof LicensesSearch>
