import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { MESSAGE_TYPES } from '@custodia/contract'
import { WORD_RULES } from '@custodia/domain'
import { readConfig } from '../../../apps/server/src/config.ts'
import { openArchive } from '../../../apps/server/src/open-archive.ts'
import { getCodes } from '../../../apps/server/src/payload-records/codes.ts'
import { getKind, getPeriod, type WordKeys, wordKeys } from '../../../apps/server/src/payloads/word-store.ts'
import { beginIndex, writeWords } from '../../../apps/server/src/payloads/words/index-store.ts'
import { wordPlaces } from '../../../apps/server/src/payloads/words/index-words.ts'
import { wordKeyContext } from '../../../apps/server/src/ports/keys/contexts.ts'
import { type Archive, CLIENT } from './fill.ts'
import { addPeople, PEOPLE } from './lists.ts'
import { cpuOfEach, cpuSince, fetchBytes, load } from './load.ts'
import type { BenchContext } from './options.ts'
import { type Line, report } from './report.ts'
import { getPids, signIn, sharedServer } from './server.ts'

/** Pairs of requests of the sign test. */
const PAIRS = 40

/** An item in hidden groups, compared with one that does not exist. */
interface HiddenCase {
  name: string
  hidden: Parameters<typeof load>[0]
  missing: Parameters<typeof load>[0]
}

/**
 * Compares requests for something hidden with requests for something missing, one by one. The note says in how many pairs the hidden one was
 * slower, and how likely chance alone makes it so uneven.
 */
export async function measureHiding({ name, hidden, missing }: HiddenCase): Promise<Line> {
  const once = (target: HiddenCase['hidden']) => load(target, 1, 0)
  await once(hidden)
  const pairs: Line['pairs'] = []
  for (let n = 0; n < PAIRS; n++) {
    const early = n % 2 === 0 ? await once(hidden) : undefined
    const baseline = await once(missing)
    pairs.push({ subject: early ?? (await once(hidden)), floor: baseline })
  }
  const slower = pairs.filter(({ subject, floor: baseline }) => subject.p50 > baseline.p50).length
  const note = `hidden slower in ${slower} of ${PAIRS}, sign test p = ${signTest(slower, PAIRS).toFixed(3)}`
  return { name, note, pairs }
}

/** Two-sided sign test: how likely `n` throws of a coin come at least as unevenly as `k`. */
function signTest(k: number, n: number): number {
  let tail = 0
  let ways = 1
  for (let i = 0; i <= Math.min(k, n - k); i++) {
    tail += ways
    ways = (ways * (n - i)) / (i + 1)
  }
  return Math.min(1, (2 * tail) / 2 ** n)
}

/** Words in a known share of the messages: those with a chance between two numbers. */
const PLANTED = {
  rare: [0, 0.0001],
  rarely: [0.5, 0.5001],
  some: [0, 0.01],
  somewhere: [0.5, 0.51],
  often: [0, 0.3],
  usually: [0.2, 0.5],
} as const satisfies Record<string, readonly [number, number]>

/** A word in 30 % of the messages of groups that the reader of some groups does not see. */
const HIDDEN = 'hidden'
/** Two words in the same 1 % of all messages. The first is in 30 % of the messages of hidden groups too. */
const [SHARED, ALONE] = ['shared', 'alone']
const PLANTED_HIDDEN = [
  [HIDDEN, [0, 0.3], true],
  [SHARED, [0.6, 0.9], true],
  [SHARED, [0.95, 0.96], false],
  [ALONE, [0.95, 0.96], false],
] as const

const CASES = {
  'a word in 0.01 %': 'rare',
  'a word in 1 %': 'some',
  'a word in 30 %': 'often',
  'a word in no message': 'nowhere',
  'two words, each in 30 %': 'often usually',
  'two words, in 30 % and in 0.01 %': 'often rare',
  'two words in 1 %, never together': 'some somewhere',
  'two words in 0.01 %, never together': 'rare rarely',
} as const

/** Other words of a message, and words of all messages together. */
const [OTHERS, VOCABULARY] = [11, 449_000]
/** First letters by which the words of these messages stand in the vocabulary. */
const BUCKETS = 5000n
/** Words with the first letters of the hidden one, and comments with it, in groups that the reader does not see. */
const [HIDDEN_WORDS, HIDDEN_COMMENTS] = [5000, 20_000]
/** Messages that the bench indexes as the server does, at most, and how many it writes in one transaction. */
const [LATE, BATCH] = [10_000, 500]

/**
 * Searches for words of sealed messages, compared with the plain list of messages by the same server, and the CPU that the database needs to
 * index a message.
 */
export async function measureWords(
  archive: Archive,
  { options, facts, file, say }: BenchContext,
): Promise<void> {
  await addPeople(archive, undefined, ['payloads:*', 'comments:list'])
  const indexing = await fillWords(archive, Math.min(LATE, options.rows / 10), say)
  const ours = await sharedServer(archive, options.server)
  try {
    const target = (headers: Record<string, string>, path: string, words?: string) => ({
      port: ours.port,
      path: () => path,
      headers: words === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(words === undefined ? {} : { body: JSON.stringify({ words }) }),
      pids: () => getPids(archive, ours, 'custodia'),
    })
    const lines = new Map<string, Line>()
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const person of PEOPLE) {
        const headers = await signIn(ours, person)
        for (const [name, words] of Object.entries(CASES)) {
          const list = target(headers, '/client/v1/api/payloads?service=messages')
          const search = target(headers, '/client/v1/api/payloads/search?service=messages', words)
          const key = `${name}, ${person}`
          const found = JSON.parse((await fetchBytes(search)).toString()) as { count: number }
          const line = lines.get(key) ?? { name: key, note: `${found.count} rows`, pairs: [] }
          lines.set(key, line)
          // The second side finds warm caches: the sides alternate.
          const early =
            round % 2 === 0 ? await load(search, options.clients, options.milliseconds) : undefined
          const baseline = await load(list, options.clients, options.milliseconds)
          const subject = early ?? (await load(search, options.clients, options.milliseconds))
          line.pairs.push({ subject, floor: baseline })
        }
      }
    }
    const some = { ...(await signIn(ours, 'two-hundred-groups')) }
    const search = (words: string) => target(some, '/client/v1/api/payloads/search?service=messages', words)
    const inComments = (words: string) => target(some, '/client/v1/api/comments/search', words)
    const pairs = {
      'hidden word, search': [search(HIDDEN), search('nowhere')],
      'hidden texts of a visible word, search': [search(SHARED), search(ALONE)],
      'hidden beginning of a word, search': [search(`${HIDDEN.slice(0, 4)}*`), search('nowh*')],
      'hidden word, comments': [inComments(HIDDEN), inComments('nowhere')],
    } as const
    say('Hidden and missing words …')
    for (const [name, [hidden, missing]] of Object.entries(pairs))
      lines.set(name, await measureHiding({ name, hidden, missing }))
    report('Words', [...lines.values()], { ...facts, indexing }, file)
    console.log(`Indexing: ${indexing.milliseconds_each.toFixed(2)} ms of the database's CPU for a message`)
  } finally {
    await ours.stop()
  }
}

/** Fills the index of all messages but the newest, and writes those as the job of the server does; resolves to the CPU that the database needs for each. */
async function fillWords(
  archive: Archive,
  late: number,
  say: (step: string) => void,
): Promise<{ messages: number; milliseconds_each: number }> {
  const { owner, client_id, connection, folder } = archive
  const config = readConfig({ DATABASE_URL: connection, CUSTODIA_DATA: join(folder, 'data') })
  const opened = await openArchive(config)
  try {
    // Makes the keys.
    await opened.keys.health()
    const wrapped_key = await opened.keys.wrap(randomBytes(32), wordKeyContext(CLIENT))
    await owner.query('insert into content_indexes (client_id, is_wanted) values ($1, true)', [client_id])
    await opened.db.write(client_id, (tx) => beginIndex(tx, wrapped_key, WORD_RULES))
    const keys = await wordKeys(opened, CLIENT, wrapped_key)
    const { rows } = await owner.query<{ oldest: string; newest: string; last: string }>(
      'select min(payload_time) as oldest, max(payload_time) as newest, max(payload_id) as last from payloads',
    )
    const { oldest = 0, newest = 0, last = 0 } = rows[0] ?? {}
    const periods = []
    for (let period = getPeriod(Number(oldest)); period <= getPeriod(Number(newest)); period++)
      periods.push(period)
    const planted = periods.flatMap((period) =>
      [
        ...Object.entries(PLANTED).map(([word, range]) => [word, range, false] as const),
        ...PLANTED_HIDDEN,
      ].map(
        ([word, [from, to], is_hidden]) =>
          [period, from, to, keys.token('text', period, word), is_hidden, word] as const,
      ),
    )
    say('Filling words …')
    await owner.query(
      FILL_TOKENS,
      [0, 1, 2, 3, 4].map((i) => planted.map((row) => row[i])),
    )
    for (const statement of fillStatements(client_id, Number(last) - late)) await owner.query(statement)
    await owner.query(FILL_VOCABULARY_OF_GROUPS, [
      client_id,
      planted.map(([, , , token]) => token),
      planted.map(([, , , , , word]) => keys.getBucket(word)),
      planted.map(([, , , , , word]) => keys.getTag(word)),
    ])
    await fillHidden(archive, keys, periods)
    say(`Indexing ${late} messages …`)
    return { messages: late, milliseconds_each: await index(archive, opened) }
  } finally {
    await opened.close()
  }
}

/** Adds words that begin like the hidden one, and comments with it, to groups that the reader of some groups does not see. */
async function fillHidden(
  { owner, client_id }: Archive,
  keys: WordKeys,
  periods: readonly number[],
): Promise<void> {
  const words = Array.from({ length: HIDDEN_WORDS }, (_, n) => (n === 0 ? HIDDEN : `${HIDDEN}${n}`))
  const places = words.flatMap((word) =>
    getCodes(MESSAGE_TYPES).flatMap((type, nth) =>
      wordPlaces(keys, word, getKind(type, false)).flatMap((place, of) =>
        nth > 0 && of === 0 ? [] : [[word, place] as const],
      ),
    ),
  )
  await owner.query(FILL_VOCABULARY, [
    client_id,
    places.map(([, { bucket }]) => bucket),
    places.map(([, { tag }]) => tag),
    places.map(([word]) => keys.sealWord(word)),
  ])
  await owner.query(FILL_COMMENTS, [
    client_id,
    periods,
    periods.map((period) => keys.token('comment', period, HIDDEN)),
  ])
  await owner.query('vacuum analyze')
}

const FILL_VOCABULARY = `
  with words as (
    insert into content_vocabulary (client_id, bucket, tag, sealed_word)
    select $1, bucket, tag, sealed_word from unnest($2::bigint[], $3::bigint[], $4::bytea[]) as x (bucket, tag, sealed_word)
    returning bucket, tag)
  insert into content_vocabulary_groups (client_id, bucket, group_id, tag)
  select $1, bucket, group_id, tag from words cross join lateral (
    select group_id from groups where client_id = $1 and group_id % 5 <> 3 and hashint8extended(tag, group_id) % 20 = 0) g
  on conflict do nothing`
/** The words of each group, as the server notes them. */
const FILL_VOCABULARY_OF_GROUPS = `
  insert into content_vocabulary_groups (client_id, bucket, group_id, tag)
  select distinct $1::int, bucket, group_id, tag
  from content_words join unnest($2::bigint[], $3::bigint[], $4::bigint[]) x (token, bucket, tag) using (token)
  where client_id = $1 and service = 2`
const FILL_TOKENS = `
  create unlogged table bench_tokens as
  select * from unnest($1::smallint[], $2::float8[], $3::float8[], $4::bigint[], $5::bool[]) as x (period, above, below, token, is_hidden)`

const r = (purpose: string) =>
  `((hashint8extended(payload_id, ${purpose}) & 2147483647)::float8 / 2147483648)`
const MONTH = `(extract(year from to_timestamp(payload_time) at time zone 'UTC') - 2000) * 12
  + extract(month from to_timestamp(payload_time) at time zone 'UTC') - 1`

const FILL_COMMENTS = `
  with hidden as materialized (
    select payload_id, group_id, type, payload_time from payloads where client_id = $1 and group_id % 5 <> 3
    order by payload_id limit ${HIDDEN_COMMENTS}
  ), made as (
    insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
    select $1, 'hidden ' || payload_id, payload_id, group_id, type, payload_time, 'bench' from hidden
  ), months as (
    insert into content_periods select $1, 0, unnest($2::smallint[])
  )
  insert into comment_words (client_id, token, group_id, comment_id)
  select $1, token, group_id, 'hidden ' || payload_id from hidden
  join unnest($2::smallint[], $3::bigint[]) as x (period, token) on period = ${MONTH}`

/** Sorted, like a reindexed index. */
const fillStatements = (client_id: number, last: number) => [
  `insert into content_words (token, payload_time, payload_id, client_id, group_id, service, period, type)
   select token, payload_time, payload_id, ${client_id}, group_id, service, period, type from (
     select p.*, (${MONTH})::smallint as period, ${r('31')} as chance from payloads p where payload_id <= ${last}
   ) p cross join lateral (
     select token from bench_tokens t where t.period = p.period and p.chance >= above and p.chance < below
       and not (is_hidden and p.group_id % 5 = 3)
     union
     select hashint8extended(floor(${VOCABULARY} * power(${r('100 + n')}, 3))::bigint, p.period) from generate_series(1, ${OTHERS}) n
   ) w order by service, period, token, payload_time, payload_id`,
  `insert into content_vocabulary_groups (client_id, bucket, group_id, tag)
   select distinct ${client_id}, word % ${BUCKETS}, group_id, hashint8(word)::bigint from payloads cross join lateral (
     select floor(${VOCABULARY} * power(${r('100 + n')}, 3))::bigint as word from generate_series(1, ${OTHERS}) n) w where payload_id <= ${last}`,
  `insert into content_periods select distinct ${client_id}, 2, period from bench_tokens`,
  `insert into content_indexed (client_id, payload_id, word_count) select ${client_id}, payload_id, ${OTHERS} from payloads where payload_id <= ${last} order by 2`,
  `insert into content_work (client_id, payload_id, since) select ${client_id}, payload_id, 0 from payloads where payload_id > ${last}`,
  'update content_indexes set payloads_before = null, comments_before = null',
  'drop table bench_tokens',
  'vacuum analyze',
  'checkpoint',
]

/** Writes the words of the messages that are left, as many and as frequent as those of the others. */
async function index(archive: Archive, opened: Awaited<ReturnType<typeof openArchive>>): Promise<number> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ payload_id: string; period: number; tokens: string[] }>(
    `select payload_id, ${MONTH} as period, array(select distinct hashint8extended(floor(${VOCABULARY} * power(${r('100 + n')}, 3))::bigint, (${MONTH})::int)::text
       from generate_series(1, ${OTHERS}) n) as tokens
     from payloads join content_work using (client_id, payload_id) order by payload_id`,
  )
  const pids = async () => {
    const backends = await owner.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'custodia%'`,
    )
    return backends.rows.map(({ pid }) => pid)
  }
  const before = cpuOfEach(await pids())
  for (let i = 0; i < rows.length; i += BATCH) {
    const items = rows.slice(i, i + BATCH).map((row) => ({
      payload_id: Number(row.payload_id),
      comment_id: '',
      asked: 1,
      period: Number(row.period),
      tokens: row.tokens,
      places: row.tokens.map((tag) => ({ bucket: String(BigInt(tag) % BUCKETS), tag })),
    }))
    await opened.db.write(client_id, (tx) => writeWords(tx, items))
  }
  return cpuSince(before, await pids()) / rows.length
}
