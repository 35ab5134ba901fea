import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, it } from 'node:test'
import { DAY, MARKS, PAYLOAD_TYPES, type ReviewWeek } from '@custodia/contract'
import { ulid } from 'ulid'
import { openPerson, type Person } from '../../testing/access-fixture.ts'
import { openSession } from '../../testing/alert-fixture.ts'
import { hear } from '../../testing/heard.ts'
import { assertVerifiedOffline } from '../../testing/offline-verifier.ts'
import { seeded } from '../../testing/require-part.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { deletePayloads, restorePayloads } from '../deletion-store.ts'
import { checkReviewReport } from './routes.ts'
import { storeMark } from './write.ts'

/** A Monday, UTC. */
const MONDAY = Date.UTC(2026, 7, 3) / 1000
const WEEKS = 3
const [PEOPLE, GROUPS] = [
  ['ada', 'ben', 'cleo'],
  ['North', 'South'],
]
const NAMES = new Map([['ada', 'Ada Ames']])

const server = await testServer()
after(() => server.close())
const client_id = await server.getId('acme')
const alice = await openPerson(server, 'acme', 'alice')
await openSession(server.ctx, { client: 'acme', user_reference: 'ada', roles: [] })
await server.sql(`update portal_sessions set display_name = 'Ada Ames' where user_reference = 'ada'`)

const isoDate = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)
const getRow = ({
  week,
  person,
  person_name,
  group,
  heard,
  listened,
  reviewed,
  flagged,
  escalated,
}: ReviewWeek) =>
  `${isoDate(week)} ${person} (${person_name}) ${group}: ${heard} ${listened} ${reviewed} ${flagged} ${escalated}`

it('counts reviews per week, user and group exactly as a naive count does', async () => {
  const random = seeded(5)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const payloads: { payload_id: number; payload_reference: string; group: string }[] = []
  for (let i = 0; i < 12; i++) {
    const group = pick(GROUPS)
    const payload_reference = await storePayload(server.ctx, { client: 'acme', group })
    const [row] = await server.sql<{ payload_id: number }>(
      'select payload_id from payloads where payload_reference = $1',
      [payload_reference],
    )
    payloads.push({ payload_id: row?.payload_id ?? 0, payload_reference, group })
  }
  const acts = Array.from({ length: 150 }, () => ({
    payload: pick(payloads),
    person: pick(PEOPLE),
    // Some in the last second of a week, some in its first.
    at: MONDAY + (random() < 0.2 ? pick([0, 7 * DAY - 1, 7 * DAY]) : Math.floor(random() * WEEKS * 7 * DAY)),
    act: pick(['heard', 'heard', ...MARKS] as const),
  })).toSorted((a, b) => a.at - b.at)
  const counts = new Map<string, ReviewWeek>()
  const known = new Set<string>()
  for (const { payload, person, at, act } of acts) {
    await server.ctx.db.write(client_id, async (tx) => {
      if (act === 'heard') {
        return hear(tx, payload.payload_id, person, { at })
      }
      const mark = { mark_id: ulid(at * 1000), mark: act, marked_at: at, marked_by: person }
      return storeMark(tx, payload, { ...mark, reason: null, sealed_note: null, wrapped_key: null }, person)
    })
    // A playback counts once, a mark each time.
    const first = `${payload.payload_id} ${person}`
    if (act === 'heard' && known.has(first)) continue
    if (act === 'heard') known.add(first)
    const week = at - ((at - MONDAY) % (7 * DAY))
    const key = `${week} ${person} ${payload.group}`
    const none = {
      week,
      person,
      person_name: NAMES.get(person) ?? null,
      group: payload.group,
      heard: 0,
      listened: 0,
      reviewed: 0,
      too_little: 0,
      flagged: 0,
      escalated: 0,
    }
    const row = counts.get(key) ?? none
    // Each first playback has ten seconds.
    counts.set(key, { ...row, [act]: row[act] + 1, ...(act === 'heard' && { listened: row.listened + 10 }) })
  }
  const expected = [...counts.values()]
  const counted = async (by: Person, query: { from?: string; to?: string } = {}) => {
    const { weeks, is_cut } = await by.api.countReviews({ query })
    assert.equal(is_cut, false)
    return weeks
      .filter(({ person }) => PEOPLE.includes(person))
      .map(getRow)
      .toSorted()
  }
  const like = (isIn: (row: ReviewWeek) => boolean) => expected.filter(isIn).map(getRow).toSorted()
  assert.ok(expected.length >= WEEKS * PEOPLE.length)
  assert.deepEqual(
    await counted(alice),
    like(() => true),
  )

  // Deletion, restore and reassignment change no count, because it describes past reviews.
  const ids = payloads.map(({ payload_id }) => payload_id)
  const doing = { now: server.ctx.now(), by: 'test' }
  await server.ctx.db.write(client_id, (tx) => deletePayloads(tx, ids, doing))
  await server.ctx.db.write(client_id, (tx) => restorePayloads(tx, ids, doing))
  assert.deepEqual(
    await counted(alice),
    like(() => true),
  )

  // Within the requested days and the visible groups.
  const second = MONDAY + 7 * DAY
  assert.deepEqual(
    await counted(alice, { from: isoDate(second), to: isoDate(second + 6 * DAY) }),
    like(({ week }) => week === second),
  )
  const north = await openPerson(server, 'acme', 'carol', {
    roles: ['Compliance Manager'],
    groups: ['North'],
  })
  assert.deepEqual(
    await counted(north),
    like(({ group }) => group === 'North'),
  )

  // As a signed report, which names its reader and what was counted for them.
  const query = { from: isoDate(second), to: isoDate(second + 6 * DAY) }
  const file = await north.api.readReviewReport({ query })
  const { reader, groups, from, to, weeks, reviewed } = file.report
  assert.deepEqual([reader, from, to], ['carol', second, second + 7 * DAY])
  assert.deepEqual(groups, [{ group: 'North', payload_types: PAYLOAD_TYPES }])
  assert.deepEqual(weeks, (await north.api.countReviews({ query })).weeks)
  assert.ok(reviewed > 0 && reviewed === weeks.reduce((sum, each) => sum + each.reviewed, 0))
  const { keys } = await alice.api.readCertificateKeys({})
  const check = (text: string) =>
    checkReviewReport(
      text,
      keys.map(({ public_key_pem }) => createPublicKey(public_key_pem)),
    ).outcome
  const text = JSON.stringify(file)
  assert.equal(check(text), 'good')
  assert.equal(check(text.replace(/"reviewed":\d+/, `"reviewed":${reviewed + 1}`)), 'altered')
  assert.equal(check(text.replace('"North"', '"South"')), 'altered')
  await assertVerifiedOffline(server.ctx.keys, file, 'Review coverage')
  // It counts whole days, and says which.
  const hours = { from: `${isoDate(second)}-120000`, to: `${isoDate(second + 6 * DAY)}-120000` }
  const { report } = await north.api.readReviewReport({ query: hours })
  assert.deepEqual([report.from, report.to, report.weeks], [second, second + 7 * DAY, weeks])
  for (const nothing of [
    { from: '2999-01-01' },
    { to: '1999-01-01' },
    { from: '2000-01-01', to: '1999-01-01' },
  ]) {
    const empty = (await north.api.readReviewReport({ query: nothing })).report
    assert.ok(empty.from <= empty.to && empty.weeks.length === 0, JSON.stringify(nothing))
  }
  assert.deepEqual(
    (await alice.api.readReviewReport({})).report.groups.map(({ group }) => group),
    (await server.sql(`select group_reference from groups where client_id = ${client_id} order by 1`)).map(
      ({ group_reference }) => group_reference,
    ),
  )
})
