import { WEEK } from '../../components/lists/date-range.ts'

/** States that need attention. */
export type Worry = 'Failed' | 'Quarantined'

/** Lists that a service's card counts and links to. */
export const CARD_LISTS: readonly { from?: string; states?: Worry[] }[] = [
  {},
  { from: WEEK },
  { states: ['Failed'] },
  { states: ['Quarantined'] },
]
