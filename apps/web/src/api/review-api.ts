import { makeClientOf } from '@custodia/client'
import { abandonmentEndpoints, markEndpoints, receiptEndpoints, restoreEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls with which reviewers act on recordings, which load with what shows them. */
export const reviewApi = makeClientOf(
  { ...abandonmentEndpoints, ...markEndpoints, ...receiptEndpoints, ...restoreEndpoints },
  portalCalls,
)
