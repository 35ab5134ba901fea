import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { addRole, addVisitor, type Archive, HOT_NUMBER } from './fill.ts'
import { fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { getPids, type RunningServer, signIn, startProgram, sharedServer } from './server.ts'

/** One person sees all groups, one a fifth of them. */
export const PEOPLE = ['unrestricted', 'two-hundred-groups'] as const
type Person = (typeof PEOPLE)[number]

/** Adds both people; resolves to their roles. Every fifth group: large and silent ones are among them. */
export async function addPeople(
  archive: Archive,
  unrestricted = 'Compliance Reviewer',
  actions?: string[],
  groupless?: string[],
): Promise<Record<Person, string>> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ group_id: number }>(
    'select group_id from groups where group_id % 5 = 3 order by group_reference',
  )
  const fifth = rows.map((row) => row.group_id)
  await addRole(owner, client_id, 'Fifth', fifth, actions, groupless)
  const roles = { unrestricted, 'two-hundred-groups': 'Fifth' }
  for (const person of PEOPLE) await addVisitor(archive, person, roles[person])
  return roles
}

/** A query without the place where its page begins. */
interface ListCase {
  name: string
  query: Record<string, string>
  /** Pages of 50 before the one that is measured. */
  depth: number
}

const LIST_CASES: readonly ListCase[] = [
  { name: 'first page', query: { service: 'calls' }, depth: 0 },
  { name: 'deep page', query: { service: 'calls' }, depth: 10_000 },
  { name: 'oldest first', query: { service: 'calls', order: 'oldest' }, depth: 0 },
  { name: 'number', query: { service: 'calls', number: HOT_NUMBER }, depth: 0 },
  ...Object.entries({
    'number ending, frequent': '0000',
    'number ending, a few': '149 876',
    'number ending, none': '999999',
    'name, most frequent': 'mam',
    'name, frequent': 'jo',
    'name, a few': 'zuzup',
    'name, none': 'xyz',
    'two words': 'mama jo',
  }).map(([name, search]) => ({ name, query: { service: 'calls', search }, depth: 0 })),
  {
    name: 'total',
    query: { service: 'calls', type: 'total', from: '2025-03-05-101500', to: '2026-08-20-183000' },
    depth: 0,
  },
]

const BASELINE = fileURLToPath(new URL('./list-baseline.ts', import.meta.url))
const LIST = '/client/v1/api/payloads'

/** The lists of the server, signed in, compared with the same statements in a bare handler. */
export async function measureLists(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  const roles = await addPeople(archive)
  const ours = await sharedServer(archive, options.server)
  const baseline = await startProgram(BASELINE, {
    DATABASE_URL: archive.connection,
    CLIENT_ID: String(archive.client_id),
  })
  try {
    const cases: Case[] = []
    for (const person of PEOPLE) {
      const headers = await signIn(ours, person)
      for (const each of LIST_CASES)
        cases.push(await prepare(archive, ours, baseline, person, each, headers, roles[person]))
      cases.push({
        person,
        path: `${LIST}?service=calls`,
        layerPath: '/by-hand',
        line: { name: `first page, handler by hand, ${person}`, note: 'goal 1.6', pairs: [] },
      })
    }
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const person of PEOPLE) {
        const headers = await signIn(ours, person)
        for (const each of cases.filter((one) => one.person === person)) {
          const side = (running: RunningServer, path: string, application: string) =>
            load(
              {
                port: running.port,
                path: () => path,
                headers,
                pids: () => getPids(archive, running, application),
              },
              options.clients,
              options.milliseconds,
            )
          const sides = {
            subject: () => side(ours, each.path, 'custodia'),
            floor: () => side(baseline, each.layerPath, 'list-floor'),
          }
          // The second side finds warm caches: the sides alternate.
          const early = round % 2 === 0 ? await sides.subject() : undefined
          const other = await sides.floor()
          each.line.pairs.push({ subject: early ?? (await sides.subject()), floor: other })
        }
      }
    }
    return cases.map(({ line }) => line)
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}

interface Case {
  person: Person
  path: string
  layerPath: string
  line: Line
}

/** Finds the page to measure, and checks that both sides answer the same. */
async function prepare(
  archive: Archive,
  ours: RunningServer,
  baseline: RunningServer,
  person: Person,
  { name, query, depth }: ListCase,
  headers: Record<string, string>,
  role: string,
): Promise<Case> {
  const { last_key, pages, last } =
    depth === 0 ? { last_key: undefined, pages: 0, last: undefined } : await walk(ours, query, depth, headers)
  const path = `${LIST}?${new URLSearchParams({ ...query, ...(last_key ? { last_key } : {}) })}`
  const place: Record<string, string> =
    last === undefined ? {} : { after: (await getPlace(archive, query, last)).join('.') }
  const layerPath = `/?${new URLSearchParams({ ...query, ...place, role })}`
  const answers = await Promise.all(
    [
      fetchBytes({ port: ours.port, path: () => path, headers }),
      fetchBytes({ port: baseline.port, path: () => layerPath, headers: {} }),
    ].map(async (bytes) => JSON.parse((await bytes).toString()) as { data?: unknown[]; total?: number }),
  )
  const [own, other] = answers
  assert.deepEqual([own?.data, own?.total], [other?.data, other?.total], 'both sides must answer the same')
  const note =
    own?.total === undefined
      ? pages > 0
        ? `page ${pages}`
        : `${own?.data?.length} rows`
      : `${own.total} payloads`
  return { person, path, layerPath, line: { name: `${name}, ${person}`, note, pairs: [] } }
}

/** The key of the page at `depth`, or of the last one that has another behind it. Four pages of 50 are read at a time. */
async function walk(
  ours: RunningServer,
  query: Record<string, string>,
  depth: number,
  headers: Record<string, string>,
) {
  let last_key: string | undefined
  let last: string | undefined
  let pages = 0
  while (pages < depth) {
    const parameters = new URLSearchParams({ ...query, limit: '200', ...(last_key ? { last_key } : {}) })
    const body = await fetchBytes({ port: ours.port, path: () => `${LIST}?${parameters}`, headers })
    const page = JSON.parse(body.toString()) as { last_key?: string; data: { payload_reference: string }[] }
    if (!page.last_key) break
    last_key = page.last_key
    last = page.data.at(-1)?.payload_reference
    pages += 4
  }
  return { last_key, pages, last }
}

/** The place behind a payload, which a `last_key` holds sealed: the time that the list sorts by, and the id. */
async function getPlace(
  { owner }: Archive,
  { date_filter = 'payload_time' }: Record<string, string>,
  payload_reference: string,
) {
  const { rows } = await owner.query<{ t: string; payload_id: string }>(
    `select ${date_filter} as t, payload_id from payloads where payload_reference = $1`,
    [payload_reference],
  )
  return [rows[0]?.t, rows[0]?.payload_id]
}
