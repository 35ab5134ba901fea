import { WEEK } from '../../components/lists/date-range.ts'

/** States that wait for somebody. */
export type Worry = 'Failed' | 'Quarantined'

/** The lists that a service's card counts and leads to. */
export const CARD_LISTS: readonly { from?: string; states?: Worry[] }[] = [
  {},
  { from: WEEK },
  { states: ['Failed'] },
  { states: ['Quarantined'] },
]
