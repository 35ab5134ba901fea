import { makeClientOf } from '@custodia/client'
import { commentEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls about comments, which load with what shows them. */
export const commentsApi = makeClientOf(commentEndpoints, portalCalls)
