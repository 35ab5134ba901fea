import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CustodyChange, type NumberClaim, provedNumber, reportedNumbers } from './custody.ts'

/** A fixture of phones and claims, in which time is counted by hand. */
class Fixture {
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
  const fixture = new Fixture()
  fixture.report(OLD, N)
  return fixture
}

describe('the custody of a phone number', () => {
  it('moves to the next device that reports the number', () => {
    const fixture = begun()
    assert.deepEqual(fixture.report(NEW, N), [])
    assert.equal(fixture.holders(N), '(1) 2')
    assert.deepEqual(fixture.report(OLD), [])
    assert.equal(fixture.holders(N), '2')
  })

  it('stays with the later of two devices and reports the conflict once', () => {
    const fixture = begun()
    fixture.report(NEW, N)
    assert.deepEqual(fixture.report(OLD, N), [N])
    for (const phone of [NEW, OLD, OLD, NEW]) assert.deepEqual(fixture.report(phone, N), [])
    assert.equal(fixture.holders(N), '(1) 2')
    fixture.report(NEW)
    assert.equal(fixture.holders(N), '(1)')
    fixture.report(OLD, N)
    assert.equal(fixture.holders(N), '1')
  })

  it('stays with the device that proved the number until the proof is old and it stops reporting', () => {
    const fixture = begun()
    fixture.prove(OLD, N)
    assert.deepEqual(fixture.report(NEW, N), [N])
    assert.equal(fixture.holders(N), '1 (2)')
    fixture.proved.clear()
    fixture.report(OLD, N)
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '1 (2)', 'it is still said by the one that had it')
    fixture.report(OLD)
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '2')
  })

  it('moves to the reporting device once the proof of a silent device is old', () => {
    const fixture = new Fixture()
    fixture.prove(OLD, N)
    fixture.report(OLD)
    assert.equal(fixture.holders(N), '1', 'a phone need not know its own number')
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '1 (2)')
    fixture.proved.clear()
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '(1) 2')
  })

  it('does not move to a device that waits for confirmation', () => {
    const fixture = begun()
    fixture.waiting.add(NEW)
    assert.deepEqual(fixture.report(NEW, N), [N])
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '1 (2)')
    fixture.waiting.clear()
    fixture.report(OLD)
    fixture.report(NEW, N)
    assert.equal(fixture.holders(N), '2')
  })

  it('moves to the device that proves the number by a text message', () => {
    const fixture = begun()
    fixture.prove(OLD, N)
    fixture.report(NEW, N)
    fixture.prove(NEW, N)
    assert.equal(fixture.holders(N), '(1) 2')
    fixture.prove(NEW, N)
    assert.equal(fixture.claims.filter(({ to_at }) => to_at === null).length, 2)
  })

  it('never belongs to two devices at once after any order of reports and proofs', () => {
    const fixture = new Fixture()
    let seed = 7
    const pick = <T>(of: readonly T[]): T => {
      seed = (seed * 48_271) % 2_147_483_647
      return of[seed % of.length] as T
    }
    const numbers = ['a', 'b', 'c']
    for (let i = 0; i < 3000; i++) {
      const device = pick([1, 2, 3, 4])
      pick([
        () => void fixture.report(device, ...numbers.filter(() => pick([true, false]))),
        () => void fixture.report(device, ...numbers.filter(() => pick([true, false, false]))),
        () => fixture.prove(device, pick(numbers)),
        () => fixture.proved.clear(),
        () => (fixture.waiting.has(device) ? fixture.waiting.delete(device) : fixture.waiting.add(device)),
      ])()
      for (const number of numbers) {
        const open = fixture.claims.filter((claim) => claim.phone_number === number && claim.to_at === null)
        assert.ok(open.filter(({ is_contested }) => !is_contested).length <= 1)
        assert.equal(new Set(open.map(({ device_id }) => device_id)).size, open.length, 'once per phone')
      }
    }
  })
})
