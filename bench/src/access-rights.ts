import assert from 'node:assert/strict'
import { PAGE_DEFAULT, TERMS_VERSION } from '@custodia/contract'
import { AccessCache } from '../../apps/server/src/access/load.ts'
import { listGroups } from '../../apps/server/src/groups/store.ts'
import { type Database, openDatabase } from '../../apps/server/src/ports/database/pool.ts'
import { readLiveSession } from '../../apps/server/src/sessions/store.ts'
import type { Archive } from './archive.ts'
import { RESTRICTED_GROUPS, RESTRICTED_ROLE } from './fill-access.ts'
import type { Options } from './options.ts'
import type { Sample } from './load.ts'
import { quantile } from './quantile.ts'
import type { Line } from './report.ts'

const PAGE = { after: '', limit: PAGE_DEFAULT + 1 }
const NOW = 1

/** The cost of rights: session, rights and list as a request reads them, compared with the list alone, in one process. */
export async function measureRights(archive: Archive, options: Options): Promise<Line[]> {
  const db = await openDatabase({ connection: archive.connection, appName: 'access-rights', max: 2 })
  try {
    const { client_id, owner } = archive
    const restricted = await owner.query<{ group_id: number }>(
      `select group_id from groups where ${RESTRICTED_GROUPS} order by group_id`,
    )
    const ids = restricted.rows.map((row) => row.group_id)
    const groups = (of: readonly number[] | 'all') =>
      db.read(client_id, (q) => listGroups(q, { groups: of, search: '' }, { ...PAGE, now: NOW }))
    const all = await authoriser(db, archive, 'Account Administrator')
    const quarter = await authoriser(db, archive, RESTRICTED_ROLE)
    const cases: { name: string; subject: () => Promise<unknown>; floor: () => Promise<unknown> }[] = [
      {
        name: 'groups, all',
        subject: async () => groups((await all()).groups('groups:list')),
        floor: () => groups('all'),
      },
      {
        name: 'groups, a quarter of them',
        subject: async () => groups((await quarter()).groups('groups:list')),
        floor: () => groups(ids),
      },
    ]
    const lines: Line[] = []
    for (const { name, subject, floor: baseline } of cases) {
      assert.deepEqual(await subject(), await baseline(), 'both sides must answer the same')
      const line: Line = { name: `rights: ${name}`, note: 'in one process', pairs: [] }
      for (let round = 1; round <= options.rounds; round++) {
        const early = round % 2 === 0 ? await sample(subject, options.milliseconds) : undefined
        const other = await sample(baseline, options.milliseconds)
        line.pairs.push({ subject: early ?? (await sample(subject, options.milliseconds)), floor: other })
      }
      lines.push(line)
    }
    return lines
  } finally {
    await db.close()
  }
}

/** Reads the session of a person with that role and evaluates the rights, as every request does. */
async function authoriser(db: Database, { owner, client_id }: Archive, role: string) {
  await owner.query(
    `insert into portal_sessions (session_id, client_id, user_reference, roles, refresh_hash, rotated_at, checked_at, created_at,
       expires_at)
     values ($1, $2, $1, array[$1], sha256($1::bytea), 0, 0, 0, 9999999999)`,
    [role, client_id],
  )
  const book = new AccessCache(db)
  return async () => {
    const session = await readLiveSession(db, client_id, role, TERMS_VERSION)
    if (!session) throw new Error('the session was not found')
    const { roles, groups, access_epoch } = session
    return book.accessOf({ client_id, epoch: access_epoch, roles, groups, ip: '127.0.0.1' })
  }
}

/** Does the work again and again for so long, at least once. CPU is that of this process. */
async function sample(work: () => Promise<unknown>, milliseconds: number): Promise<Sample> {
  const taken: number[] = []
  const before = process.cpuUsage()
  const started = performance.now()
  do {
    const at = performance.now()
    await work()
    taken.push(performance.now() - at)
  } while (performance.now() - started < milliseconds)
  const elapsed = performance.now() - started
  const { user, system } = process.cpuUsage(before)
  return {
    requests: taken.length,
    per_second: (taken.length * 1000) / elapsed,
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    cpu: (user + system) / 1000 / taken.length,
  }
}
