import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { identify, type IdentityQuestion } from './identity.ts'

const person = fc.constantFrom(null, 1, 2)
const question: fc.Arbitrary<IdentityQuestion> = fc.record({
  known: fc.option(
    fc.record({ device_key: fc.constantFrom(null, 'K1', 'K2'), holder: person, is_waiting: fc.boolean() }),
    { nil: undefined },
  ),
  device_key: fc.constantFrom('K1', 'K2'),
  requested: person,
  verified_by: fc.constantFrom(null, 'enrolment', 'sign_in', 'roll_out'),
  expected: fc.integer({ min: 0, max: 2 }),
  actual: fc.integer({ min: 0, max: 3 }),
})
const holds = (property: (asked: IdentityQuestion) => void) =>
  fc.assert(fc.property(question, property), { numRuns: 2000 })
const isProven = ({ known, device_key }: IdentityQuestion) => known?.device_key === device_key

describe('device identification', () => {
  it('ends at the device that proved its key or in the reserved group, unless a code or a sign-in names the person', () => {
    holds((asked) => {
      const found = identify(asked)
      if (asked.verified_by !== null && asked.requested !== null) return
      assert.ok(found.is === 'waits' || (found.is === 'same' && isProven(asked)))
    })
  })

  it('never takes a device without its key for that device, unless a code or a sign-in names its holder', () => {
    holds((asked) => {
      const found = identify(asked)
      if (asked.known === undefined || isProven(asked)) return
      assert.notEqual(found.is, 'same')
      if ('as_another' in found && found.as_another) return
      assert.ok(asked.known.device_key === null && found.is === 'claimed' && asked.verified_by !== null)
      assert.ok([null, asked.requested].includes(asked.known.holder))
    })
  })

  it('changes the holder of a device only with its key and a sign-in, or replaces it for the same holder', () => {
    holds((asked) => {
      const { known, requested, verified_by } = asked
      const found = identify(asked)
      if (found.is !== 'claimed' || known === undefined || known.holder === null) return
      if (requested === known.holder) assert.ok(verified_by !== null)
      else assert.ok(verified_by === 'sign_in' && isProven(asked) && !found.as_another)
    })
  })

  it('never ends the waiting of a device', () => {
    holds((asked) => {
      if (asked.known?.is_waiting && isProven(asked)) assert.equal(identify(asked).is, 'same')
    })
  })

  it('accepts the claims of a roll-out only up to the expected number of devices', () => {
    holds((asked) => {
      if (identify(asked).is !== 'claimed') return
      assert.ok(asked.requested !== null && asked.verified_by !== null)
      assert.ok(asked.verified_by !== 'roll_out' || asked.actual < asked.expected)
    })
  })

  it('makes a new device wait, claim its holder, or exceed the expected number', () => {
    const never = { known: undefined, device_key: 'K1', expected: 1, actual: 0, verified_by: null }
    const claimed = { is: 'claimed', as_another: false }
    assert.deepEqual(identify({ ...never, requested: 1 }), {
      is: 'waits',
      reason: 'unconfirmed',
      as_another: false,
    })
    assert.deepEqual(identify({ ...never, requested: 1, verified_by: 'roll_out' }), claimed)
    const further = { ...never, requested: 1, actual: 1, verified_by: 'roll_out' } as const
    assert.deepEqual(identify(further), { is: 'waits', reason: 'beyond_expected', as_another: false })
    assert.deepEqual(identify({ ...further, verified_by: 'enrolment' }), claimed)
  })
})
