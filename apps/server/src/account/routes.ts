import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { readAccountMetadata } from './read-account-metadata.ts'

/** Handlers of the account itself. */
export const accountRoutes = (house: House): Handlers<'readAccountMetadata'> => ({
  readAccountMetadata: (_context, { params }) => readAccountMetadata(house, params.client),
})
