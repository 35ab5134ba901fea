import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { readAccountMetadata } from './read-account-metadata.ts'

/** Handlers of the account itself. */
export const accountRoutes = (ctx: AppContext): Handlers<'readAccountMetadata'> => ({
  readAccountMetadata: (_context, { params }) => readAccountMetadata(ctx, params.client),
})
