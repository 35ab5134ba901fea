import { AHEAD_SECONDS } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { columnsOf } from '../lists/columns.tsx'

/** A column for device times more than a day after arrival; hidden where there is none. */
export function clockAhead<Row extends { received_at: number }>(timeOf: (row: Row) => number) {
  const isAhead = (row: Row) => timeOf(row) > row.received_at + AHEAD_SECONDS
  return columnsOf<Row>().mark('ahead', msg`Clock`, isAhead, {
    width: 130,
    word: msg`Clock ahead`,
    icon: 'clock',
    color: 'orange',
    stacked: 'line',
    hasValue: isAhead,
  })
}
