import { PAYLOAD_STATES, type PayloadState, RETENTION_BASES } from '@custodia/contract'
import fc from 'fast-check'
import { FINAL_STATES } from '../payloads/states.ts'
import type { HoldPeriod, RetentionCase } from './decide.ts'

export const DAY = 86_400
export const T0 = 1_790_000_000

/** A moment around T0, often one second off a whole number of days. */
export const moment = fc
  .tuple(fc.integer({ min: -4, max: 24 }), fc.constantFrom(-1, 0, 0, 0, 1))
  .map(([days, seconds]) => T0 + days * DAY + seconds)
const perhaps = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 3 })
const days = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 3 })
const NAMES = ['archive', 'risk']
const some = fc.subarray(NAMES)
/** Mostly nothing, so that what else there is decides. */
const few = fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: some })
const type = fc.constantFrom('Call', 'SMS')

const payload = fc
  .record({
    payload_type: type,
    payload_state: fc.constantFrom<PayloadState>(
      ...PAYLOAD_STATES,
      'Processed',
      'Processed',
      'Deleted',
      'Deleted',
    ),
    from: fc.constantFrom<PayloadState>(...FINAL_STATES),
    deleted_at: moment,
    payload_time: moment,
    announced_at: moment,
    processed_at: perhaps(moment),
    transferred_at: perhaps(moment),
    receipt_confirmed_at: perhaps(moment),
    restored_at: perhaps(moment),
    is_late: fc.boolean(),
    is_alerted: fc.boolean(),
    is_written_off: fc.boolean(),
    awaits_sign_off: fc.constantFrom(false, false, false, true),
  })
  .map(({ from, deleted_at, ...rest }) => {
    const isDeleted = rest.payload_state === 'Deleted'
    return {
      ...rest,
      state_before_deletion: isDeleted ? from : null,
      deleted_at: isDeleted ? deleted_at : null,
    }
  })

const rule = fc.record({
  payload_type: type,
  delete_after_days: days,
  destroy_after_days: days,
  retention_timestamp: fc.constantFrom(...RETENTION_BASES),
  required_receipts: few,
  required_transfers: few,
})

/** Anything that may be to decide, small enough that its parts meet. */
export const retentionCase = fc.record({
  payload,
  policy: fc.record({
    rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 2, selector: ({ payload_type }) => payload_type }),
    minimums: fc.array(fc.record({ payload_type: type, days: fc.integer({ min: 0, max: 8 }) }), {
      maxLength: 2,
    }),
  }),
  holds: fc.oneof(
    { weight: 3, arbitrary: fc.constant<HoldPeriod[]>([]) },
    { weight: 1, arbitrary: fc.array(fc.record({ from: moment, until: perhaps(moment) }), { maxLength: 2 }) },
  ),
  receipts: some,
  transfers: some,
}) satisfies fc.Arbitrary<RetentionCase>
