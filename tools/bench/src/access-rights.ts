import assert from 'node:assert/strict'
import { PAGE_DEFAULT, type Role, TERMS_VERSION } from '@custodia/contract'
import type pg from 'pg'
import { AccessCache } from '../../../apps/server/src/access/load.ts'
import { listGroups } from '../../../apps/server/src/groups/store.ts'
import { type Database, openDatabase } from '../../../apps/server/src/ports/database/pool.ts'
import { liveSessions } from '../../../apps/server/src/sessions/store.ts'
import { type Archive, raiseEpoch } from './fill.ts'
import { quantile, type Sample } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'

/** SQL: the groups of the role `RESTRICTED_ROLE`. */
export const RESTRICTED_GROUPS = 'group_id % 4 = 1'
export const RESTRICTED_ROLE = 'Quarter'

/** Adds three tags to each group, and roles with patterns, conditions and regular expressions. */
export async function fillAccess(owner: pg.Client, client_id: number, count: number): Promise<void> {
  await owner.query(
    `insert into group_tags (client_id, group_id, tag_key, tag_value)
     select client_id, group_id, key, value from groups cross join lateral (values
       ('region', 'R' || group_id % 40), ('desk', 'D' || group_id % 97), ('quarter', (group_id % 4)::text)) t (key, value)`,
  )
  const roles = Array.from({ length: count - 1 }, (_, i) => roleNumber(i))
  const quarter = getRole(RESTRICTED_ROLE, [{ keys_matching: ['quarter'], values_matching: ['1'] }])
  await owner.query(
    `insert into roles (client_id, role_reference, document, updated_at, updated_by)
     select $1, d->>'role_reference', d, 0, 'bench' from jsonb_array_elements($2::jsonb) d`,
    [client_id, JSON.stringify([...roles, quarter])],
  )
  await raiseEpoch(owner, client_id)
  await owner.query('vacuum analyze')
}

function roleNumber(i: number): Role {
  return getRole(`Role ${String(i).padStart(3, '0')}`, [
    { names_matching: [`Group ${i % 10}*`] },
    { keys_matching: ['region'], values_matching: [`R${i % 40}`] },
    { names_matching: [`Group .*${i % 97}`], is_regex: true, is_denied: true },
  ])
}

function getRole(
  role_reference: string,
  conditions: NonNullable<Role['permissions'][number]['conditions']>,
): Role {
  return {
    role_reference,
    permissions: [
      { actions_matching: ['groups:list', 'groups:read', 'payloads:*', 'payloads.*'], conditions },
      { actions_matching: ['profile:*', 'roles:list'] },
    ],
    payload_types: [],
    cidr_ranges: [],
    alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
    is_alertable: false,
    is_system: false,
  }
}

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
  const live = liveSessions(db, TERMS_VERSION)
  return async () => {
    const session = await live.add(client_id, role)
    if (!session) throw new Error('the session was not found')
    const { roles, groups, matters, access_epoch } = session
    return book.getAccess({ client_id, epoch: access_epoch, roles, groups, matters, ip: '127.0.0.1' })
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
