import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { searchPayloads } from './search.ts'

/** Searches by words of sealed texts. */
export const wordRoutes = (ctx: AppContext): Handlers<'searchPayloads'> => ({
  searchPayloads: searchPayloads(ctx),
})
