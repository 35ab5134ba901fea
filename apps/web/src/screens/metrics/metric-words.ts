import type { MetricScope, MetricSubject } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

/** Periods of metrics (spec section 9). */
export const SCOPE_WORDS: Words<MetricScope> = {
  Summary: msg({ context: 'metrics', message: 'All time' }),
  Daily: msg({ context: 'metrics', message: 'Daily' }),
  Weekly: msg({ context: 'metrics', message: 'Weekly' }),
  Monthly: msg({ context: 'metrics', message: 'Monthly' }),
  Yearly: msg({ context: 'metrics', message: 'Yearly' }),
}

/** Row kinds: grouped or individual counts. */
export const BY = ['periods', 'devices', 'users', 'groups', 'each'] as const
export type By = MetricSubject | 'each'

/** Grouping dimensions. */
export const BY_WORDS: Words<By> = {
  periods: msg({ context: 'metrics by', message: 'Period' }),
  devices: msg({ context: 'metrics by', message: 'Device' }),
  users: msg({ context: 'metrics by', message: 'Device user' }),
  groups: msg({ context: 'metrics by', message: 'Group' }),
  each: msg({ context: 'metrics by', message: 'Device, device user, group and type' }),
}
