import { makeClientOf } from '@custodia/client'
import { abandonmentEndpoints, markEndpoints, receiptEndpoints, restoreEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Review actions on recordings; they load with their buttons. */
export const reviewApi = makeClientOf(
  { ...abandonmentEndpoints, ...markEndpoints, ...receiptEndpoints, ...restoreEndpoints },
  portalCalls,
)
