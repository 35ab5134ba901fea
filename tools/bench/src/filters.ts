import assert from 'node:assert/strict'
import { type Archive, CLIENT, HOT_NUMBER } from './fill.ts'
import { addPeople, PEOPLE } from './lists.ts'
import { fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { getPids, sharedServer, signIn } from './server.ts'

/** Filters that few payloads match. */
const RARE: Readonly<Record<string, Record<string, string>>> = {
  failed: { 'states[0]': 'Failed' },
  quarantined: { 'states[0]': 'Quarantined' },
  'not uploaded': { 'states[0]': 'Recorded' },
  late: { is_late: 'true' },
  held: { is_held: 'true' },
  'without receipt': { has_receipt: 'false' },
  'heard by me': { heard: 'me' },
  deleted: { 'states[0]': 'Deleted' },
  'deleted and destroyed': { 'states[0]': 'Deleted', 'states[1]': 'Destroyed' },
}

const COUNTED: typeof RARE = {
  ...RARE,
  'with receipt': { has_receipt: 'true' },
  processed: { date_filter: 'processed_at', from: '2025-03-05-101500', to: '2026-08-20-183000' },
  'a frequent number': { number: HOT_NUMBER },
  'search 0000': { search: '0000' },
  'search mam': { search: 'mam' },
  'search jo': { search: 'jo' },
  'search a': { search: 'a' },
  'search mama jo': { search: 'mama jo' },
}

const SUMS = ['Daily/devices', 'Daily/users', 'Weekly/periods', 'Summary/periods']

/** Most CPU of a call, in times that of the call it is compared with. */
const GOALS = { page: 2, total: 3, sum: 3 } as const

type Answer = { data?: unknown[]; last_key?: string; total?: number; is_capped?: true }

/**
 * First pages of rare filters and totals, compared with the first plain page, and metrics for a reader of some groups,
 * compared with the same metrics of all groups.
 */
export async function measureFilters(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  const actions = ['payloads:*', 'payloads.*', 'metrics:*']
  await addPeople(archive, 'Compliance Manager', actions, ['account.legal_holds:list'])
  await fillRare(archive, Math.max(50, options.rows / 100))
  const ours = await sharedServer(archive, options.server)
  try {
    const lines = new Map<string, Line>()
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      const [all, some] = [await signIn(ours, PEOPLE[0]), await signIn(ours, PEOPLE[1])]
      const target = (headers: Record<string, string>, path: string) => ({
        port: ours.port,
        path: () => path,
        headers,
        pids: () => getPids(archive, ours, 'custodia'),
      })
      const compare = async (
        name: string,
        goal: number,
        subject: ReturnType<typeof target>,
        floor: ReturnType<typeof target>,
      ) => {
        const answer = JSON.parse((await fetchBytes(subject)).toString()) as Answer
        const line = lines.get(name) ?? { name, note: `${getText(answer)}, goal ${goal}`, pairs: [] }
        lines.set(name, line)
        const run = (side: typeof subject) => load(side, options.clients, options.milliseconds)
        // The second side finds warm caches: the sides alternate.
        const early = round % 2 === 0 ? await run(subject) : undefined
        const other = await run(floor)
        line.pairs.push({ subject: early ?? (await run(subject)), floor: other })
        return answer
      }
      for (const [person, headers] of [
        [PEOPLE[0], all],
        [PEOPLE[1], some],
      ] as const) {
        const list = (query: Record<string, string>) =>
          target(headers, `/client/v1/api/payloads?${new URLSearchParams({ service: 'calls', ...query })}`)
        for (const [name, query] of Object.entries(RARE)) {
          const answer = await compare(`page, ${name}, ${person}`, GOALS.page, list(query), list({}))
          const isEnd = answer.last_key === undefined || answer.data?.length === 50
          assert.ok(isEnd, `the page of ${name} ends, or is full`)
        }
        for (const [name, query] of Object.entries(COUNTED))
          await compare(`total, ${name}, ${person}`, GOALS.total, list({ ...query, type: 'total' }), list({}))
      }
      for (const sum of SUMS)
        await compare(
          `metrics ${sum}, some groups`,
          GOALS.sum,
          target(some, `/admin/v1/api/${CLIENT}/metrics/${sum}`),
          target(all, `/admin/v1/api/${CLIENT}/metrics/${sum}`),
        )
    }
    return [...lines.values()]
  } finally {
    await ours.stop()
  }
}

const getText = ({ data, total, is_capped }: Answer): string =>
  data ? `${data.length} rows` : `${total}${is_capped ? '+' : ''}`

/** Makes a few payloads rare in each way, one in `every`. */
async function fillRare({ owner, client_id }: Archive, every: number): Promise<void> {
  const nth = (n: number) => `payload_id % ${every} = ${n}`
  const keys = 'client_id, payload_id, service, payload_time, group_id, type'
  const statements = [
    `update payloads set state = 7, failure = 'wrong_checksum' where ${nth(1)}`,
    `update payloads set state = 6, failure = 'malware_found' where ${nth(2)} and payload_id % ${2 * every} = 2`,
    `update payloads set state = 2, uploaded_at = null, processed_at = null where ${nth(3)}`,
    `update payload_changes set processed_at = null where ${nth(3)}`,
    `insert into payload_work (client_id, payload_id, since) select client_id, payload_id, 0 from payloads where ${nth(3)} on conflict do nothing`,
    `update payloads set is_late = true where ${nth(4)}`,
    `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at)
     select client_id, payload_id, 'archive', 0 from payloads where not ${nth(5)} on conflict do nothing`,
    `delete from payload_unconfirmed where not ${nth(5)}`,
    `insert into payload_opened (${keys}, person, opened_at)
     select ${keys}, person, 0 from payloads cross join unnest(array['', ${PEOPLE.map((each) => `'${each}'`).join(', ')}]) person
     where ${nth(6)} on conflict do nothing`,
    // The oldest, as retention leaves them.
    `update payloads set state = 9, state_before_deletion = 5 where ${nth(7)} and payload_id < 20 * ${every}`,
    `update payloads set state = 10, state_before_deletion = 5 where ${nth(8)} and payload_id < 20 * ${every}`,
    `insert into payload_removed (client_id, state, service, payload_time, payload_id, group_id, type)
     select client_id, state, service, payload_time, payload_id, group_id, type from payloads where state in (9, 10)`,
    `insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
     select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 0, 0, 'bench' from device_users
     where client_id = ${client_id} order by device_user_id limit 20 on conflict do nothing`,
    'vacuum analyze',
    'checkpoint',
  ]
  for (const statement of statements) await owner.query(statement)
}
