import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeRateLimits } from './rate-limit.ts'
import { TokenBuckets } from './token-buckets.ts'

function bucketsAt(rate: { per_second: number; burst: number }) {
  const clock = { ms: 5000 }
  return { clock, buckets: new TokenBuckets(rate, () => clock.ms) }
}

test('allows a burst of calls, then one call per interval', () => {
  const { clock, buckets } = bucketsAt({ per_second: 2, burst: 5 })
  for (let i = 0; i < 5; i++) assert.equal(buckets.take('a'), undefined)
  assert.deepEqual(buckets.take('a'), { retry_after: 1, is_first: true })
  clock.ms += 499
  assert.deepEqual(buckets.take('a'), { retry_after: 1, is_first: false })
  clock.ms += 1
  assert.equal(buckets.take('a'), undefined)
  assert.ok(buckets.take('a'))
  assert.equal(buckets.take('b'), undefined, 'another one has a budget of their own')
})

test('returns the seconds to wait, and marks at most one refusal per second as the first', () => {
  const { clock, buckets } = bucketsAt({ per_second: 0.1, burst: 1 })
  assert.equal(buckets.take('a'), undefined)
  assert.deepEqual(buckets.take('a'), { retry_after: 10, is_first: true })
  clock.ms += 999
  assert.deepEqual(buckets.take('a'), { retry_after: 10, is_first: false })
  clock.ms += 1
  assert.deepEqual(buckets.take('a'), { retry_after: 9, is_first: true })
  clock.ms += 8000
  assert.equal(buckets.take('a')?.retry_after, 1)
  clock.ms += 1000
  assert.equal(buckets.take('a'), undefined)
})

test('refills a bucket to its burst at most', () => {
  const { clock, buckets } = bucketsAt({ per_second: 10, burst: 3 })
  for (let i = 0; i < 3; i++) buckets.take('a')
  clock.ms += 3_600_000
  for (let i = 0; i < 3; i++) assert.equal(buckets.take('a'), undefined)
  assert.ok(buckets.take('a'))
})

test('never allows more than burst + rate × time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 }), (pauses) => {
      const { clock, buckets } = bucketsAt({ per_second: 7, burst: 4 })
      const begin = clock.ms
      let taken = 0
      for (const pause of pauses) {
        clock.ms += pause
        if (!buckets.take('a')) taken++
        assert.ok(taken <= 4 + (7 * (clock.ms - begin)) / 1000 + 1e-6)
      }
    }),
  )
})

test('removes idle buckets, and beyond 100,000 buckets the oldest', () => {
  const { clock, buckets } = bucketsAt({ per_second: 1, burst: 2 })
  for (let i = 0; i < 10_000; i++) buckets.take(`a${i}`)
  clock.ms += 3000
  buckets.take('b')
  assert.equal(buckets.size, 1)
  for (let i = 0; i < 150_000; i++) buckets.take(`c${i}`)
  assert.equal(buckets.size, 100_000)
})

test('counts the addresses of an IPv6 /64 network together, and other addresses separately', () => {
  const limits = makeRateLimits({ portal: null, device: null, public: { per_second: 1, burst: 1 } }, () => 0)
  const passes = (ip: string) => limits.ofAddress(ip) === undefined
  assert.ok(passes('2001:db8:1:2::1'))
  assert.ok(!passes('2001:db8:1:2:ffff:1:1:1'))
  assert.ok(passes('2001:db8:1:3::1'))
  assert.ok(passes('2001:db8::1'))
  assert.ok(!passes('2001:db8:0:0:5::'))
  assert.ok(passes('::1'))
  for (const ip of ['10.0.0.1', '10.0.0.2', '::ffff:10.0.0.1']) assert.ok(passes(ip), ip)
  assert.ok(!passes('10.0.0.1'))
})

test('keeps separate budgets for users, client apps, support staff and devices of the same name', () => {
  const rate = { per_second: 1, burst: 1 }
  const limits = makeRateLimits({ portal: rate, device: rate, public: null }, () => 0)
  const person = {
    kind: 'portal',
    client_id: 1,
    user_reference: 'x',
    user_group: null,
    group_id: null,
    roles: [],
  } as const
  const phone = {
    kind: 'device',
    client_id: 1,
    client: 'c',
    device_id: 1,
    device_reference: 'x',
    device_user_reference: null,
    group_reference: 'g',
    group_id: 1,
  } as const
  const callers = [
    person,
    { ...person, client_id: 2 },
    { ...person, is_client_app: true },
    { ...person, support_reference: 's' },
    phone,
    { ...phone, client_id: 2 },
  ]
  for (const caller of callers) assert.equal(limits.ofCaller(caller), undefined)
  for (const caller of callers) assert.ok(limits.ofCaller(caller))
  assert.equal(limits.ofAddress('10.0.0.1'), undefined, 'off is off')
  assert.equal(limits.ofAddress('10.0.0.1'), undefined, 'off is off')
})
