import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LATE_AFTER_SECONDS, PayloadReference } from '@custodia/contract'
import { demoPlan, type PlannedPhone } from './demo-plan.ts'
import { wallClock } from './itinerary.ts'
import { type DemoAccount, type DemoPerson, MEDIA_FOLDER, openMedia } from './media.ts'

/** A Wednesday, 14:00 UTC. */
const now = Date.UTC(2026, 10, 18, 14) / 1000
const person = (i: number, locale: DemoPerson['locale']): DemoPerson => ({
  email: `p${i}@acme.example`,
  first_name: 'P',
  surname: String(i),
  group: 'North',
  phone_number: `+4477009001${i}`,
  locale,
})
const account = (account_reference: string, people: number): DemoAccount => ({
  account_reference,
  enrolment: '',
  people: Array.from({ length: people }, (_, i) => person(i, i % 3 === 2 ? 'pt-BR' : 'en-GB')),
})
const media = await openMedia(MEDIA_FOLDER)
const large = await demoPlan(account('acme', 9), media, now)
const small = await demoPlan(account('globex', 3), media, now)
const getPayloads = (phones: PlannedPhone[]) => phones.flatMap((each) => each.payloads)
const all = getPayloads([...large, ...small])

async function read(data: (() => AsyncIterable<Uint8Array>) | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  if (data) for await (const chunk of data()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('the demo plan', () => {
  it('gives each payload a unique reference that is the same in every run', async () => {
    const references = all.map(({ recording }) => PayloadReference.parse(recording.meta.payload_reference))
    assert.equal(new Set(references).size, references.length)
    const later = getPayloads(await demoPlan(account('acme', 9), media, now + 90_000))
    const sorted = (list: typeof all) =>
      list.map(({ recording }) => recording.meta.payload_reference).toSorted()
    assert.deepEqual(sorted(later), sorted(getPayloads(large)))
  })

  it('places calls in local working hours and makes three payloads late', () => {
    let late = 0
    for (const { recording } of all) {
      const { payload_time, timezone, timezone_offset, local_time } = recording.meta
      const end = 'payload_end_time' in recording.meta ? recording.meta.payload_end_time : payload_time
      assert.ok(end <= now)
      assert.deepEqual(wallClock(timezone, payload_time), { local_time, timezone_offset })
      if (now - end > LATE_AFTER_SECONDS) late += 1
      if (recording.payload_type === 'Call') {
        const local = new Date(`${local_time}Z`)
        assert.ok(
          local.getUTCDay() % 6 !== 0 && local.getUTCHours() >= 8 && local.getUTCHours() < 18,
          local_time,
        )
      }
    }
    assert.equal(late, 3)
    assert.ok(
      all.some(
        ({ recording }) =>
          recording.meta.timezone === 'America/Sao_Paulo' && recording.meta.timezone_offset === -180,
      ),
    )
  })

  it('has one tampered payload and one that a virus scanner reports', async () => {
    assert.equal(all.filter((each) => each.isTampered).length, 1)
    const contents = await Promise.all(all.map(({ recording }) => read(recording.data)))
    assert.equal(contents.filter((each) => /^X5O.{65}$/.test(each.toString('latin1'))).length, 1)
  })
})

describe('wallClock', () => {
  it('handles summer time and zones west of Greenwich', () => {
    const at = (text: string) => Date.parse(text) / 1000
    assert.deepEqual(wallClock('Europe/London', at('2026-07-01T23:30:00Z')), {
      local_time: '2026-07-02T00:30:00',
      timezone_offset: 60,
    })
    assert.deepEqual(wallClock('Europe/London', at('2026-11-18T09:00:00Z')), {
      local_time: '2026-11-18T09:00:00',
      timezone_offset: 0,
    })
    assert.deepEqual(wallClock('America/Sao_Paulo', at('2026-11-18T01:00:00Z')), {
      local_time: '2026-11-17T22:00:00',
      timezone_offset: -180,
    })
  })
})
