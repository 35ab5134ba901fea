import { makeClientOf } from '@custodia/client'
import { contactEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The call for the contacts of a number; loads with its panel. */
export const contactsApi = makeClientOf(contactEndpoints, portalCalls)
