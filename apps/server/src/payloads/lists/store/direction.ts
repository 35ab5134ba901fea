import type { ListFilter } from './filter.ts'

/**
 * The direction of a list in SQL: forward or backward along its index. `behind` comes later in the list,
 * `upTo` earlier or at the same place.
 */
export interface Direction {
  way: 'asc' | 'desc'
  behind: '<' | '>'
  upTo: '<=' | '>='
  before: '<' | '>'
  /** Whether a time is before the far end in $4; `to` is exclusive and `from` inclusive. */
  within: '<' | '>='
  /** The far end of the filter's time range, in epoch seconds. */
  end: number
}

export const directionOf = ({ order, from, to }: Pick<ListFilter, 'order' | 'from' | 'to'>): Direction =>
  order === 'oldest'
    ? { way: 'asc', behind: '>', upTo: '<=', before: '<', within: '<', end: to }
    : { way: 'desc', behind: '<', upTo: '>=', before: '>', within: '>=', end: from }

/** Condition on `time` and the payload_id: behind the place in $2 and $3, and within the filter's times. */
export const behindSql = (time: string, { behind, within }: Direction): string =>
  `(${time}, payload_id) ${behind} ($2::bigint, $3::bigint) and ${time} ${within} $4::bigint`

/** These columns in the order of the list. */
export const inOrderSql = ({ way }: Direction, ...columns: string[]): string =>
  `order by ${columns.map((column) => `${column} ${way}`).join(', ')}`
