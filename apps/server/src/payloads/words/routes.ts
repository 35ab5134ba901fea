import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { searchPayloads } from './search.ts'

/** Searches by words of sealed texts. */
export const wordRoutes = (house: House): Handlers<'searchPayloads'> => ({
  searchPayloads: searchPayloads(house),
})
