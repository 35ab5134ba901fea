import { makeClientOf } from '@custodia/client'
import { contactEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The call that tells of a number, which loads with what shows it. */
export const contactsApi = makeClientOf(contactEndpoints, portalCalls)
