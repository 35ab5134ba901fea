import { makeClientOf } from '@custodia/client'
import {
  abandonmentEndpoints,
  commentEndpoints,
  contactEndpoints,
  exportEndpoints,
  markEndpoints,
  receiptEndpoints,
  restoreEndpoints,
} from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls about comments, which load with what shows them. */
export const commentsApi = makeClientOf(commentEndpoints, portalCalls)

/** Review actions on recordings; they load with their buttons. */
export const reviewApi = makeClientOf(
  { ...abandonmentEndpoints, ...markEndpoints, ...receiptEndpoints, ...restoreEndpoints },
  portalCalls,
)

/** The calls of exports with data, which load with their dialog. */
export const exportsApi = makeClientOf(exportEndpoints, portalCalls)

/** The call for the contacts of a number; loads with its panel. */
export const contactsApi = makeClientOf(contactEndpoints, portalCalls)
