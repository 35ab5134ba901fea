import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CustodyChange, type NumberClaim, provedNumber, reportedNumbers } from './custody.ts'

/** A world of phones and claims, in which time is counted by hand. */
class World {
  now = 100
  readonly proved = new Set<string>()
  readonly waiting = new Set<number>()
  readonly claims: (NumberClaim & { to_at: number | null })[] = []

  /** What a phone says. Resolves to the numbers of which it is new that two phones say them. */
  report(device_id: number, ...reported: string[]): string[] {
    this.now += 10
    const is_waiting = this.waiting.has(device_id)
    const change = reportedNumbers({ device_id, is_waiting, reported, open: this.#open() })
    for (const { claim } of change.repeat) this.#of(claim).last_reported = this.now
    this.#apply(change)
    return change.contested
  }
  /** A text that a phone sent came from a number. */
  prove(device_id: number, phone_number: string): void {
    this.now += 10
    this.proved.add(`${device_id} ${phone_number}`)
    this.#apply(provedNumber({ device_id, phone_number, open: this.#open() }))
  }
  /** Who has a number: the phone, and those that only say so in brackets. */
  holders(phone_number: string): string {
    const open = this.claims.filter((claim) => claim.phone_number === phone_number && claim.to_at === null)
    return open
      .toSorted((a, b) => a.device_id - b.device_id)
      .map(({ device_id, is_contested }) => (is_contested ? `(${device_id})` : `${device_id}`))
      .join(' ')
  }
  #open(): NumberClaim[] {
    const open = this.claims.filter(({ to_at }) => to_at === null)
    return open.map((claim) => ({
      ...claim,
      is_proved: this.proved.has(`${claim.device_id} ${claim.phone_number}`),
    }))
  }
  #of({ claim_id }: NumberClaim) {
    const claim = this.claims[claim_id]
    assert.ok(claim)
    return claim
  }
  #apply({ end, begin }: Pick<CustodyChange, 'end' | 'begin'>): void {
    for (const claim of end) this.#of(claim).to_at = this.now
    for (const { device_id, phone_number, is_contested, is_reported } of begin) {
      const last_reported = is_reported ? this.now : null
      const claim_id = this.claims.length
      const place = { claim_id, device_id, phone_number, from_at: this.now, to_at: null }
      this.claims.push({ ...place, is_contested, last_reported, is_proved: false })
    }
  }
}

const N = '+447700900001'
const [OLD, NEW] = [1, 2]
const begun = () => {
  const world = new World()
  world.report(OLD, N)
  return world
}

describe('the custody of a phone number', () => {
  it('moves to the next device that reports the number', () => {
    const world = begun()
    assert.deepEqual(world.report(NEW, N), [])
    assert.equal(world.holders(N), '(1) 2')
    assert.deepEqual(world.report(OLD), [])
    assert.equal(world.holders(N), '2')
  })

  it('stays with the later of two devices and reports the conflict once', () => {
    const world = begun()
    world.report(NEW, N)
    assert.deepEqual(world.report(OLD, N), [N])
    for (const phone of [NEW, OLD, OLD, NEW]) assert.deepEqual(world.report(phone, N), [])
    assert.equal(world.holders(N), '(1) 2')
    world.report(NEW)
    assert.equal(world.holders(N), '(1)')
    world.report(OLD, N)
    assert.equal(world.holders(N), '1')
  })

  it('stays with the device that proved the number until the proof is old and it stops reporting', () => {
    const world = begun()
    world.prove(OLD, N)
    assert.deepEqual(world.report(NEW, N), [N])
    assert.equal(world.holders(N), '1 (2)')
    world.proved.clear()
    world.report(OLD, N)
    world.report(NEW, N)
    assert.equal(world.holders(N), '1 (2)', 'it is still said by the one that had it')
    world.report(OLD)
    world.report(NEW, N)
    assert.equal(world.holders(N), '2')
  })

  it('moves to the reporting device once the proof of a silent device is old', () => {
    const world = new World()
    world.prove(OLD, N)
    world.report(OLD)
    assert.equal(world.holders(N), '1', 'a phone need not know its own number')
    world.report(NEW, N)
    assert.equal(world.holders(N), '1 (2)')
    world.proved.clear()
    world.report(NEW, N)
    assert.equal(world.holders(N), '(1) 2')
  })

  it('does not move to a device that waits for confirmation', () => {
    const world = begun()
    world.waiting.add(NEW)
    assert.deepEqual(world.report(NEW, N), [N])
    world.report(NEW, N)
    assert.equal(world.holders(N), '1 (2)')
    world.waiting.clear()
    world.report(OLD)
    world.report(NEW, N)
    assert.equal(world.holders(N), '2')
  })

  it('moves to the device that proves the number by a text message', () => {
    const world = begun()
    world.prove(OLD, N)
    world.report(NEW, N)
    world.prove(NEW, N)
    assert.equal(world.holders(N), '(1) 2')
    world.prove(NEW, N)
    assert.equal(world.claims.filter(({ to_at }) => to_at === null).length, 2)
  })

  it('never belongs to two devices at once after any order of reports and proofs', () => {
    const world = new World()
    let seed = 7
    const pick = <T>(of: readonly T[]): T => {
      seed = (seed * 48_271) % 2_147_483_647
      return of[seed % of.length] as T
    }
    const numbers = ['a', 'b', 'c']
    for (let i = 0; i < 3000; i++) {
      const device = pick([1, 2, 3, 4])
      pick([
        () => void world.report(device, ...numbers.filter(() => pick([true, false]))),
        () => void world.report(device, ...numbers.filter(() => pick([true, false, false]))),
        () => world.prove(device, pick(numbers)),
        () => world.proved.clear(),
        () => (world.waiting.has(device) ? world.waiting.delete(device) : world.waiting.add(device)),
      ])()
      for (const number of numbers) {
        const open = world.claims.filter((claim) => claim.phone_number === number && claim.to_at === null)
        assert.ok(open.filter(({ is_contested }) => !is_contested).length <= 1)
        assert.equal(new Set(open.map(({ device_id }) => device_id)).size, open.length, 'once per phone')
      }
    }
  })
})
