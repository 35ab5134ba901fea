import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PLACES, wallClock } from '../itinerary.ts'
import type { DemoAccount, DemoPerson } from '../media.ts'
import { type Act, getHabits, getLife } from './life.ts'

const DAY = 86_400
/** A year from a Monday. */
const FROM = Date.UTC(2026, 0, 5) / 1000
const UNTIL = FROM + 364 * DAY
const account: DemoAccount = {
  account_reference: 'acme',
  enrolment: '',
  people: Array.from({ length: 8 }, (_, i): DemoPerson => ({
    email: `p${i}@acme.example`,
    first_name: 'P',
    surname: String(i),
    group: i < 4 ? 'North' : 'South',
    phone_number: `+4477009001${i}0`,
    locale: i % 2 === 0 ? 'en-GB' : 'pt-BR',
  })),
}
const years = account.people.map((person) => ({ person, acts: getLife(account, person, FROM, UNTIL) }))
const kinds = (acts: readonly Act[]) => acts.map((act) => (act.kind === 'record' ? act.what : act.kind))

describe('the simulated activity of people', () => {
  it('is the same however the period is split, and differs between accounts', () => {
    for (const { person, acts } of years) {
      const pieces: Act[] = []
      for (let at = FROM; at < UNTIL; at += 41 * 3600 + 11)
        pieces.push(...getLife(account, person, at, Math.min(UNTIL, at + 41 * 3600 + 11)))
      assert.deepEqual(pieces, acts)
    }
    const other = getLife(
      { ...account, account_reference: 'globex' },
      account.people[0] as DemoPerson,
      FROM,
      UNTIL,
    )
    assert.notDeepEqual(other, years[0]?.acts)
  })

  it('includes every kind of event, rare events less often', () => {
    const counts = Map.groupBy(
      years.flatMap(({ acts }) => kinds(acts)),
      (kind) => kind,
    )
    const count = (kind: string) => counts.get(kind as 'call')?.length ?? 0
    for (const kind of [
      'message',
      'call',
      'aborted',
      'conference',
      'photo',
      'blocked',
      'interview',
      'offline',
      'sim',
      'reset',
      'passed_on',
    ])
      assert.ok(count(kind) > 0, kind)
    assert.ok(count('call') > count('conference'))
    assert.ok(count('offline') > count('sim') && count('sim') > count('reset') - 5)
  })

  it('stays within each person’s hours, mostly on working days', () => {
    for (const { person, acts } of years) {
      const { opens, closes, worksOnSaturdays } = getHabits(person)
      let free = 0
      for (const { at, kind } of acts) {
        const local = new Date(`${wallClock(PLACES[person.locale].timezone, at).local_time}Z`)
        const hour = local.getUTCHours() + local.getUTCMinutes() / 60
        const weekday = local.getUTCDay()
        if (weekday === 0 || (weekday === 6 && !worksOnSaturdays)) free += 1
        // A daylight saving change once shifted midnight by an hour.
        else assert.ok(hour >= opens - 1.1 && hour <= closes + 1.1, `${kind} at ${hour}`)
      }
      assert.ok(free < acts.length / 10)
    }
  })

  it('passes devices on only within a group', () => {
    for (const { person, acts } of years)
      for (const act of acts)
        if (act.kind === 'passed_on') {
          assert.equal(act.to.group, person.group)
          assert.notEqual(act.to.email, person.email)
        }
  })
})
