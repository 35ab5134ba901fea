import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { PayloadType } from '@custodia/contract'
import type { Lane } from '@custodia/domain'
import { TYPE_CODES } from '../../payload-records/codes.ts'
import { wordKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused } from '../../ports/keys/port.ts'
import { accessTo, createFixture, type FixturePayload } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { testContext } from '../../testing/test-context.ts'
import { getDirection, type ListFilter, resolveFilter } from '../lists/store/filter.ts'
import { firstPlace, readListPage } from '../lists/store/page.ts'
import type { ListKey } from '../lists/store/place.ts'
import { rarestFirst } from '../lists/store/words-rarest.ts'
import { resolveWords } from '../lists/store/words.ts'
import { getKind, getPeriod, startOfPeriod, wantWordIndex, type WordField, wordKeys } from '../word-store.ts'
import { beginIndex, insertVocabulary, writeWords } from './index-store.ts'
import { wordPlaces } from './index-words.ts'

const SEED = Number(process.env.WORDS_SEED ?? 1)
const PAYLOADS = 260
/** Raise it for a long run. */
const QUERIES = Number(process.env.WORDS_RUNS ?? 80)
/** The first ones are frequent, the last ones rare. */
const VOCABULARY = ['payment', 'paypal', 'contract', 'contrato', 'delta', 'payload', 'rare', 'rarest']

const { context, close } = await testContext()
after(close)
const random = seeded(SEED)
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

const stated = new Map<number, Map<WordField, Set<string>>>()

/** Words of a payload, by field. */
function say(payload: FixturePayload): void {
  const isMessage = ['SMS', 'MMS', 'RCS'].includes(payload.payload_type)
  const fields: readonly WordField[] = isMessage ? ['text'] : ['note']
  stated.set(
    payload.payload_id,
    new Map(
      fields.map((field) => [field, new Set(VOCABULARY.filter((_, i) => random() < 0.6 / (i + 1)))] as const),
    ),
  )
}

const fixture = await createFixture(context.db, 'acme', 24)
await fixture.add(PAYLOADS, random)
const { client_id } = fixture
const wrapped_key = await context.keys.wrap(randomBytes(32), wordKeyContext('acme'))
const keys = await wordKeys(context, 'acme', wrapped_key)
for (const payload of fixture.payloads) say(payload)
const items = fixture.payloads.map((payload) => {
  const period = getPeriod(payload.payload_time)
  const tokens = [...(stated.get(payload.payload_id) ?? [])].flatMap(([field, words]) =>
    [...words].map((word) => keys.token(field, period, word)),
  )
  const kind = getKind(TYPE_CODES[payload.payload_type], false)
  const places = [...(stated.get(payload.payload_id)?.values() ?? [])].flatMap((words) =>
    [...words].flatMap((word) => wordPlaces(keys, word, kind)),
  )
  return { payload_id: payload.payload_id, comment_id: '', asked: 1, period, tokens, places }
})
await context.db.write(client_id, async (tx) => {
  await wantWordIndex(tx, true)
  await beginIndex(tx, wrapped_key, 1)
  await insertVocabulary(
    tx,
    VOCABULARY.flatMap((word) =>
      Object.values(TYPE_CODES).map((type) => ({
        ...wordPlaces(keys, word, getKind(type, false))[1],
        sealed_word: keys.sealWord(word),
      })),
    ),
  )
  await writeWords(tx, items)
})

interface SearchCase {
  typed: string
  has: (payload_id: number) => boolean
}

function want(): SearchCase {
  const words = [...new Set(Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(VOCABULARY)))]
  const prefix = random() < 0.35 ? pick(['pay', 'payl', 'cont', 'rar', 'del']) : undefined
  const asked = prefix === undefined ? words : words.slice(1)
  const hasWord = (id: number, is: (word: string) => boolean) =>
    [...(stated.get(id)?.values() ?? [])].some((set) => [...set].some(is))
  return {
    typed: [...asked, ...(prefix === undefined ? [] : [`${prefix}*`])].join(' '),
    has: (id) =>
      asked.every((word) => hasWord(id, (each) => each === word)) &&
      (prefix === undefined || hasWord(id, (each) => each.startsWith(prefix))),
  }
}

function lanesAtRandom(): Lane[] {
  const groups =
    random() < 0.4
      ? ('all' as const)
      : fixture.groups.map(({ group_id }) => group_id).filter(() => random() < 0.5)
  const types =
    random() < 0.7 ? ('all' as const) : (['SMS', 'Photo', 'Interview', 'MMS'] satisfies PayloadType[])
  return [
    {
      types,
      groups: groups === 'all' || groups.length > 0 ? groups : [fixture.groups[0]?.group_id ?? 0],
      groupless: groups === 'all',
    },
  ]
}

test(`paged word search returns each matching payload once and in order (WORDS_SEED=${SEED})`, async () => {
  let compared = 0
  let cuts = 0
  for (let i = 0; i < QUERIES; i++) {
    const { typed, has } = want()
    const lanes = lanesAtRandom()
    const order = pick(['newest', 'oldest'] as const)
    const times = fixture.payloads.map(({ payload_time }) => payload_time)
    const [from, to] =
      random() < 0.5 ? [0, 9_000_000_000_000_000] : [pick(times), pick(times)].toSorted((a, b) => a - b)
    const service = pick([undefined, 'messages', 'messages', 'interviews'] as const)
    const scanned = pick([2, 5, 30, 1500])
    const effort = { scanned, further: { keys: 201, scanned: pick([scanned, 40]) }, rounds: pick([1, 3, 6]) }
    const limit = pick([1, 3, 20])
    const shown: string[] = []
    await context.db.read(fixture.client_id, async (q) => {
      const access = accessTo(lanes) as unknown as Parameters<typeof resolveFilter>[1]
      const query = { service, order, date_filter: 'payload_time' as const }
      const filter = await resolveFilter(q, access, 'payloads:search', query)
      if (!filter || from === undefined || to === undefined || from >= to) return
      const ranged: ListFilter = { ...filter, from, to }
      const words = await resolveWords(context, q, {
        client: 'acme',
        typed,
        scope: ranged.scope,
        isLimited: false,
      })
      let after: ListKey | undefined
      for (let pages = 0; ; pages++) {
        assert.ok(pages < 3000, `${typed} never ends`)
        const place = after ?? firstPlace(ranged)
        const ordered = await rarestFirst(q, words, words.scope, getDirection(ranged), place)
        if (ordered.terms.length === 0 || words.periods.length === 0) break
        const found = { ...ranged, scope: words.scope, words: ordered }
        const page = await readListPage(q, found, limit, after, effort)
        assert.equal(page.rows.length, page.places.length)
        shown.push(
          ...page.rows.map((row) => (JSON.parse(row) as { payload_reference: string }).payload_reference),
        )
        if (page.rows.length < limit && page.next) cuts++
        after = page.next
        if (!after) break
      }
    })
    const way = order === 'newest' ? -1 : 1
    const expected = fixture.payloads
      .filter(
        ({ payload_id, payload_type, payload_state, group_id, payload_time }) =>
          has(payload_id) &&
          payload_state !== 'Deleted' &&
          payload_state !== 'Destroyed' &&
          (from ?? 0) <= payload_time &&
          payload_time < (to ?? 0) &&
          accessTo(lanes).permits('', { group_id, payload_type }) &&
          (service !== 'messages' ||
            [TYPE_CODES.SMS, TYPE_CODES.MMS, TYPE_CODES.RCS].includes(TYPE_CODES[payload_type] as 4)) &&
          (service !== 'interviews' || payload_type === 'Interview'),
      )
      .toSorted((a, b) => way * (a.payload_time - b.payload_time || a.payload_id - b.payload_id))
      .map(({ payload_reference }) => payload_reference)
    assert.deepEqual(
      shown,
      expected,
      JSON.stringify({ i, typed, lanes, order, from, to, service, effort, limit }),
    )
    compared += expected.length
  }
  assert.ok(compared > 100, `only ${compared} rows were compared`)
  assert.ok(cuts > 3, `only ${cuts} pages were cut short`)
})

const sealed = new Map<string, { key: Buffer; client: string }>()
/** A key provider that opens keys with the owner's name. */
const keyProvider = {
  unwrap: async (blob: Buffer, { client }: { client: string }) => {
    const found = sealed.get(blob.toString())
    if (found?.client !== client) throw new CiphertextRefused('not of this client')
    return Buffer.from(found.key)
  },
}
const keyContext = { keys: keyProvider } as unknown as Parameters<typeof wordKeys>[0]
function getKeys(client: string) {
  const blob = Buffer.from(`${client} ${sealed.size}`)
  sealed.set(blob.toString(), { key: randomBytes(32), client })
  return wordKeys(keyContext, client, blob)
}

test('a word has a different token for each client, field and month, unrelated to its bucket', async () => {
  const [acme, globex] = [await getKeys('acme'), await getKeys('globex')]
  const tokens = [acme, globex].flatMap((each) => [
    each.token('text', 1, 'word'),
    each.token('note', 1, 'word'),
    each.token('comment', 1, 'word'),
    each.token('text', 2, 'word'),
    each.token('text', 1, 'words'),
    each.getBucket('word'),
    each.getTag('word'),
  ])
  assert.equal(new Set(tokens).size, tokens.length)
  assert.equal(acme.token('text', 1, 'word'), acme.token('text', 1, 'word'))
  assert.equal(acme.getBucket('word'), acme.getBucket('worst'))
  assert.equal(acme.openWord(acme.sealWord('word')), 'word')
  assert.throws(() => globex.openWord(acme.sealWord('word')))
})

test('each period begins with the first second of a month in UTC', () => {
  assert.equal(startOfPeriod(0), Date.UTC(2000, 0) / 1000)
  assert.deepEqual([getPeriod(startOfPeriod(322)), getPeriod(startOfPeriod(322) - 1)], [322, 321])
})
