import { addVisitor, type Archive, CLIENT } from './fill.ts'
import { bothSides, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { getPids, signIn, sharedServer } from './server.ts'

const LOG = `/admin/v1/api/${CLIENT}/activities`
const CONNECTIONS = 4
const USER = 'auditor'
/** Recordings that were played, and people who played them. */
const RECORDINGS = 5000
const PEOPLE = 200

/** The queries of the portal; the floor is the plain list of as many entries by the same server. */
const CASES = [
  { name: 'folded, background hidden', query: 'is_folded=true&is_background=false', floor: '' },
  {
    name: 'folded, in the middle',
    query: 'is_folded=true&is_background=false&to=2026-09-15',
    floor: 'to=2026-09-15',
  },
  {
    name: 'folded, of one recording',
    query: `is_folded=true&payload_reference=${'0'.repeat(25)}7`,
    floor: '',
  },
  {
    name: 'folded, plays alone',
    query: 'is_folded=true&actions%5B0%5D=payloads:play',
    floor: 'actions%5B0%5D=payloads:play',
  },
  {
    name: 'total, folded',
    query: 'is_folded=true&is_background=false&type=total',
    floor: 'actions%5B0%5D=*&type=total',
  },
] as const

/** The audit log of people with one row per play, compared with the plain list. */
export async function measureAudit(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  say(`Filling ${options.rows} entries of the log …`)
  await fillLog(archive, options.rows)
  await addVisitor(archive, USER, 'Auditor')
  const server = await sharedServer(archive, options.server)
  try {
    const headers = await signIn(server, USER)
    const lines = CASES.map(({ name }): Line => ({ name, note: '', pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { query, floor: baseline }] of CASES.entries()) {
        const side = (asked: string) =>
          load(
            {
              port: server.port,
              path: () => `${LOG}?limit=100${asked === '' ? '' : `&${asked}`}`,
              headers,
              pids: () => getPids(archive, server, 'custodia'),
            },
            CONNECTIONS,
            options.milliseconds,
          )
        const pair = await bothSides(
          round,
          () => side(query),
          () => side(baseline),
        )
        lines[i]?.pairs.push(pair)
      }
    }
    return lines
  } finally {
    await server.stop()
  }
}

/** A month of a busy account: every fifth entry belongs to a play, and three in five are system activity. */
async function fillLog({ owner, client_id }: Archive, entries: number): Promise<void> {
  const end = Date.UTC(2026, 8, 30) / 1000
  await owner.query(
    `select make_month_partitions('portal_activities', 'activity_time', to_timestamp($1), 1)`,
    [end - 40 * 86_400],
  )
  await owner.query(
    `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, activity_end_time, duration, action,
       is_allowed, parameters, status_code, request_id)
     select 'b' || lpad(i::text, 25, '0'), $1, 'person ' || play % ${PEOPLE}, '10.0.0.1', $2::bigint + i * 30 * 86400 / $3::bigint, $2, 0,
       case when i % 10 < 2 then 'payloads:play' when i % 10 = 2 then 'payloads:read' when i % 10 = 3 then 'groups:update'
         when i % 2 = 0 then 'payloads:list' else 'alerts.summary:read' end,
       true,
       case when i % 10 = 0 then '{"params":{"payload_reference":"' || reference || '"},"query":{"action":"play"}}'
         when i % 10 = 1 then '{"payload_reference":"' || reference || '","data_address":"X","kind":"original"}'
         when i % 10 = 2 then '{"params":{"payload_reference":"' || reference || '"}}'
         else '{"query":{"limit":100,"from":"2026-09-01","payload_types":["Call"]}}' end, 200, 'r'
     from generate_series(1, $3::bigint) i, lateral (select i / 10 as play) p,
       lateral (select lpad((play % ${RECORDINGS})::text, 26, '0') as reference) r`,
    [client_id, end - 30 * 86_400, entries],
  )
  await owner.query('vacuum analyze portal_activities')
}
