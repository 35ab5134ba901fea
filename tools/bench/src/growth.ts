import { randomBytes } from 'node:crypto'
import type { Announcement } from '@custodia/contract'
import { insertPayloads, type NewPayload } from '../../../apps/server/src/payloads/intake/announce-store.ts'
import { countPayloads } from '../../../apps/server/src/payloads/state-store.ts'
import { openDatabase } from '../../../apps/server/src/ports/database/pool.ts'
import { addVisitor, type Archive, makeArchive } from './fill.ts'
import { newReference } from './ingest-phones.ts'
import { cpuOfDatabase } from './ingest.ts'
import { bothSides, fetchBytes, load, quantile, type Sample } from './load.ts'
import { type BenchContext, type Options, UNTIL } from './options.ts'
import { type Line, report } from './report.ts'
import { getPids, type RunningServer, signIn, startServer } from './server.ts'

const LIST = '/client/v1/api/payloads'
/** Payloads of one transaction, and transactions of one run. */
const [TOGETHER, TRANSACTIONS] = [50, 20]
/** Failed payloads of an archive of any size. */
const FAILED = 20
/** How much dearer a call may be in the larger archive. */
const GOAL = 1.3

/** Newest payloads of which one is opened. */
const OPENED = 1000

/** Addresses of the calls; `row` is the number of a payload. */
const CASES: Readonly<Record<string, (row: () => number) => string>> = {
  'first page': () => `${LIST}?service=calls`,
  'a year back': () => `${LIST}?service=calls&to=2025-09-30`,
  'rare filter': () => `${LIST}?service=calls&states[0]=Failed`,
  total: () => `${LIST}?service=calls&type=total`,
  messages: () => `${LIST}?service=messages`,
  detail: (row) => `${LIST}/${row().toString(16).toUpperCase().padStart(26, '0')}`,
}

interface GrownArchive extends Archive {
  rows: number
  server: RunningServer
}

/** The cost of calls in growing archives, compared with the same calls in the smallest one. */
export async function measureGrowth({ options, facts, file, say }: BenchContext): Promise<void> {
  const { groups, devices, growth, rounds, clients, milliseconds } = options
  const archives: GrownArchive[] = []
  try {
    for (const rows of growth) {
      const archive = await makeArchive({ rows, groups, devices, until: UNTIL }, say)
      await makeRare(archive)
      await addVisitor(archive, 'reader', 'Compliance Reviewer')
      archives.push({ ...archive, rows, server: await startServer(archive, options.server) })
    }
    const smallest = archives[0] as GrownArchive
    // A tiny run has one archive.
    const larger = archives.length > 1 ? archives.slice(1) : archives
    const lines = new Map<string, Line>()
    for (let round = 1; round <= rounds; round++)
      for (const grown of larger) {
        say(`Round ${round} of ${rounds}, ${grown.rows} payloads …`)
        const note = `${grown.rows} / ${smallest.rows} payloads, goal ${GOAL}`
        const compare = async (name: string, run: (archive: GrownArchive) => Promise<Sample>) => {
          const key = `${name}, ${grown.rows}`
          const line = lines.get(key) ?? { name: key, note, pairs: [] }
          lines.set(key, line)
          line.pairs.push(
            await bothSides(
              round,
              () => run(grown),
              () => run(smallest),
            ),
          )
        }
        for (const [name, address] of Object.entries(CASES))
          await compare(name, async (archive) => {
            const { server, rows } = archive
            const headers = await signIn(server, 'reader')
            const path = () => address(() => rows - Math.floor(Math.random() * Math.min(rows, OPENED)))
            await fetchBytes({ port: server.port, path, headers })
            const pids = () => getPids(archive, server, 'custodia')
            return load({ port: server.port, path, headers, pids }, clients, milliseconds)
          })
        await compare('announcements', (archive) => announce(archive, options))
      }
    report('Growth', [...lines.values()], facts, file)
  } finally {
    for (const { server, stop } of archives) await server.stop().finally(stop)
  }
}

/** Lets a few payloads fail, of all times, and gives new ones free numbers. */
const makeRare = ({ owner }: Archive): Promise<unknown> =>
  owner.query(
    `select setval(pg_get_serial_sequence('payloads', 'payload_id'), max(payload_id)) from payloads;
     update payloads set state = 7, failure = 'wrong_checksum' where payload_id in (
       select payload_id from payloads where type = 1 order by hashint8(payload_id) limit ${FAILED})`,
  )

/** Stores announcements as a batch of devices does; the CPU of PostgreSQL for each payload. */
async function announce(
  { connection, owner, client_id }: Archive,
  { groups, devices }: Options,
): Promise<Sample> {
  const db = await openDatabase({ connection, appName: 'custodia growth', max: 1 })
  const taken: number[] = []
  try {
    const transaction = (items: readonly NewPayload[]) =>
      db.write(client_id, async (tx) => {
        await countPayloads(tx, await insertPayloads(tx, items))
      })
    const batch = () =>
      Array.from({ length: TOGETHER }, () =>
        newPayload(client_id, 1 + Math.floor(Math.random() * devices), groups),
      )
    // Reads the pages of the indexes that new payloads change.
    for (let i = 0; i < TRANSACTIONS; i++) await transaction(batch())
    const [cpu, started] = [await cpuOfDatabase(owner), performance.now()]
    for (let i = 0; i < TRANSACTIONS; i++) {
      const at = performance.now()
      await transaction(batch())
      taken.push(performance.now() - at)
    }
    const requests = TOGETHER * TRANSACTIONS
    return {
      requests,
      per_second: (requests * 1000) / (performance.now() - started),
      p50: quantile(taken, 0.5),
      p99: quantile(taken, 0.99),
      cpu: ((await cpuOfDatabase(owner)) - cpu) / requests,
    }
  } finally {
    await db.close()
  }
}

/** A message that a device of the archive announces just now. */
function newPayload(client_id: number, device_id: number, groups: number): NewPayload {
  const announcement: Announcement = {
    payload_reference: newReference(),
    payload_type: 'SMS',
    payload_time: UNTIL,
    key_id: 'bench',
    encrypted_dek: '',
    iv: randomBytes(12).toString('base64'),
    meta: randomBytes(400).toString('base64'),
    checksum: randomBytes(32).toString('hex'),
    size: 1000,
  }
  return {
    announcement,
    device: { client_id, device_id, device_reference: `device-${device_id}` },
    now: UNTIL + 60,
    ip: null,
    fingerprint: randomBytes(32),
    holder: { device_user_id: device_id, group_id: 1 + ((device_id - 1) % groups) },
    state: 'Recorded',
    kept: { encrypted_dek: Buffer.alloc(0), dek_key: randomBytes(60) },
  }
}
