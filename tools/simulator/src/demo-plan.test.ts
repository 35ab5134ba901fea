import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  isDataless,
  LATE_AFTER_SECONDS,
  MessageDocument,
  PAYLOAD_META,
  PAYLOAD_TYPES,
  PayloadReference,
} from '@custodia/contract'
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
  it('has about 140 payloads covering every type, each with valid meta', () => {
    assert.ok(all.length > 125 && all.length < 165, String(all.length))
    assert.deepEqual(
      [...new Set(all.map(({ recording }) => recording.payload_type))].toSorted(),
      PAYLOAD_TYPES.toSorted(),
    )
    for (const { recording } of all) {
      const parsed = PAYLOAD_META[recording.payload_type].safeParse(recording.meta)
      assert.ok(parsed.success, `${recording.payload_type}: ${JSON.stringify(parsed.error?.issues)}`)
      const dataless = isDataless(recording.payload_type)
      assert.equal(recording.data === undefined, dataless)
    }
  })

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

  it('has readable messages with at least two attached pictures', async () => {
    let pictures = 0
    for (const { recording } of all) {
      if (!('thread_id' in recording.meta)) continue
      const document = MessageDocument.parse(JSON.parse((await read(recording.data)).toString()))
      assert.equal(recording.meta.length, Array.from(document.text).length)
      pictures += document.attachments?.length ?? 0
    }
    assert.ok(pictures >= 2)
  })

  it('has one tampered payload and one that a virus scanner reports', async () => {
    assert.equal(all.filter((each) => each.isTampered).length, 1)
    const contents = await Promise.all(all.map(({ recording }) => read(recording.data)))
    assert.equal(contents.filter((each) => /^X5O.{65}$/.test(each.toString('latin1'))).length, 1)
  })

  it('has conferences, interrupted calls and threads in both directions', () => {
    const metas = all.map(({ recording }) => recording.meta)
    assert.ok(metas.some((meta) => 'second_parties' in meta && meta.second_parties.length >= 3))
    assert.ok(metas.some((meta) => 'is_intermittent' in meta && meta.is_intermittent))
    const threads = Map.groupBy(
      metas.filter((meta) => 'thread_id' in meta),
      (meta) => meta.thread_id,
    )
    assert.ok(threads.size >= 12)
    const both = [...threads.values()].filter(
      (thread) => new Set(thread.map((meta) => meta.direction)).size === 2,
    )
    assert.ok(both.length >= 10)
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
