import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { identify, type IdentityQuestion } from './identity.ts'

const key = fc.constantFrom(null, 'K1', 'K2')
const person = fc.constantFrom(null, 1, 2)
const question: fc.Arbitrary<IdentityQuestion> = fc.record({
  known: fc.option(fc.record({ device_key: key, holder: person, is_waiting: fc.boolean() }), {
    nil: undefined,
  }),
  device_key: key,
  requested: person,
  vouched_by: fc.constantFrom(null, 'enrolment', 'sign_in'),
  expected: fc.integer({ min: 0, max: 2 }),
  actual: fc.integer({ min: 0, max: 3 }),
  are_keys_required: fc.boolean(),
})
const holds = (property: (asked: IdentityQuestion) => void) =>
  fc.assert(fc.property(question, property), { numRuns: 2000 })

describe('device identification', () => {
  it('depends only on the pinned key once there is one', () => {
    holds((asked) => {
      const { known, device_key } = asked
      const found = identify(asked)
      if (known === undefined || known.device_key === null) return
      const isAnother = known.device_key !== device_key
      assert.equal('as_another' in found && found.as_another, isAnother)
      if (isAnother && found.is === 'waits')
        assert.equal(found.reason, device_key ? 'other_key' : 'without_key')
    })
  })

  it('does not hand a device without a pinned key to another holder', () => {
    holds((asked) => {
      const { known, requested } = asked
      const found = identify(asked)
      if (known === undefined || known.device_key !== null || known.holder === null) return
      const isSame = found.is === 'same'
      if (!asked.are_keys_required) assert.ok(isSame || (found.is === 'waits' && found.as_another))
      if (!known.is_waiting && requested !== null && requested !== known.holder) assert.ok(!isSame)
    })
  })

  it('claims a held device only with its key and a sign-in, or with proof of its holder', () => {
    holds((asked) => {
      const { known, requested, vouched_by } = asked
      const found = identify(asked)
      if (known && known.holder !== null && found.is === 'claimed') {
        const isKey = known.device_key !== null && known.device_key === asked.device_key
        // Only whoever signs in on that very phone takes it over; and a device loses its place to its own holder alone.
        if (!found.as_another) assert.ok(vouched_by === 'sign_in' && isKey)
        else assert.ok(vouched_by !== null && known.holder === requested && asked.device_key !== null)
      }
      if (known && known.holder !== null && requested === null)
        assert.ok(found.is === 'same' || (found.is === 'waits' && (found.as_another || !asked.device_key)))
    })
  })

  it('leaves a known device without a key waiting where keys are required', () => {
    holds((asked) => {
      if (!asked.are_keys_required || asked.device_key !== null || !asked.known) return
      assert.ok(asked.known.is_waiting || identify(asked).is === 'waits')
    })
  })

  it('never ends the waiting of a device', () => {
    holds((asked) => {
      const found = identify(asked)
      if (asked.known?.is_waiting && !('as_another' in found && found.as_another))
        assert.equal(found.is, 'same')
    })
  })

  it('accepts unproven claims only up to the expected number of devices', () => {
    holds((asked) => {
      if (identify(asked).is !== 'claimed') return
      assert.ok(asked.requested !== null)
      assert.ok(asked.vouched_by !== null || asked.actual < asked.expected)
    })
  })

  it('treats an unknown device as new, claimed or beyond the expected number', () => {
    const never = {
      known: undefined,
      device_key: 'K1',
      expected: 1,
      actual: 0,
      are_keys_required: false,
      vouched_by: null,
    }
    assert.deepEqual(identify({ ...never, requested: null }), { is: 'new' })
    assert.deepEqual(identify({ ...never, requested: 1 }), { is: 'claimed', as_another: false })
    const further = { ...never, requested: 1, actual: 1 }
    assert.deepEqual(identify(further), { is: 'waits', reason: 'beyond_expected', as_another: false })
    assert.deepEqual(identify({ ...further, vouched_by: 'enrolment' }), { is: 'claimed', as_another: false })
  })
})
