import { dateParameterToEpoch } from '@custodia/contract'

/** Larger than every time of a record, in epoch seconds. */
export const END_OF_TIME = 9_000_000_000_000_000

/** The half-open range of epoch seconds for a query's dates; without them, all time. */
export const timeRange = (query: {
  from?: string | undefined
  to?: string | undefined
}): { from: number; to: number } => ({
  from: query.from === undefined ? 0 : (dateParameterToEpoch(query.from) ?? 0),
  to: query.to === undefined ? END_OF_TIME : (dateParameterToEpoch(query.to, true) ?? END_OF_TIME),
})
