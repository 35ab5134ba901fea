/**
 * Confirms the holder of a device with very many pending records, kills the real server during the reassignment, again and
 * again, and then counts. No record may be lost, moved twice, or inconsistent between indexes.
 *
 *     node tools/rigs/reassign-test.ts [--payloads 20000] [--kills 3]
 *
 * The device uploads one message; the others are database copies with all dependent rows. Prints the duration without server
 * starts, and the peak memory of the server. Exits with 1 on a problem.
 */
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memoryStore, openPhone } from '@custodia/device-sdk'
import { newDeviceKey } from '@custodia/envelope'
import { carriedPhone, demoAccounts, smallRecording } from '@custodia/simulator'
import { countsSql } from '../../apps/server/src/payloads/state-store.ts'
import { Browser } from '../../apps/server/src/testing/browser.ts'
import { removeFolder } from '../../apps/server/src/testing/daemon.ts'
import { connectedOwner, emptyDatabase, type OwnerClient } from '../../apps/server/src/testing/database.ts'
import { serverProcess } from './server-process.ts'

const { values } = parseArgs({
  options: { payloads: { type: 'string', default: '20000' }, kills: { type: 'string', default: '3' } },
})
const [PAYLOADS, KILLS] = [Number(values.payloads), Number(values.kills)]
/** Maximum seconds until all records are reassigned. */
const PATIENCE = 1800

const SAME = ['payload_documents', 'payload_envelopes', 'payload_changes', 'payload_history'] as const
const LISTED = ['payload_numbers', 'payload_words', 'payload_changes'] as const

async function main(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-refile-'))
  const database = await emptyDatabase()
  const dataDir = join(folder, 'data')
  const env = { DEMO: 'true', DATABASE_URL: database.connection, DATABASE_UNSAFE: 'true' }
  const server = await serverProcess(env, dataDir)
  const client = await connectedOwner(database.connection)
  try {
    await server.start()
    const device_reference = await waitingPhone(server.url, dataDir)
    await multiply(client, device_reference)
    await confirm(server.url, device_reference)
    const began = performance.now()
    let starting = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      await untilMoved(client, (PAYLOADS * kill) / (KILLS + 1))
      await server.kill({ database: false })
      console.error(`Kill ${kill} of ${KILLS}: ${await getMoved(client)} were moved`)
      const stopped = performance.now()
      await server.start()
      starting += performance.now() - stopped
    }
    await untilMoved(client, PAYLOADS)
    const seconds = (performance.now() - began - starting) / 1000
    const memory = await getPeak(server.pid())
    const faults = await getFaults(client, device_reference)
    console.table({
      payloads: PAYLOADS,
      kills: KILLS,
      seconds: Math.round(seconds),
      'peak MB': memory,
      ...faults,
    })
    return Object.values(faults).every((count) => count === 0)
  } finally {
    await client.end()
    await server.kill({ database: false })
    await database.drop()
    await removeFolder(folder)
  }
}

/** A device that claims another holder and has uploaded one message since. */
async function waitingPhone(server_url: string, dataDir: string): Promise<string> {
  const [acme] = await demoAccounts(dataDir)
  const [former, holder] = acme?.people ?? []
  if (!acme || !former || !holder) throw new Error('the demo has no people')
  const carried = carriedPhone(former)
  const pair = newDeviceKey()
  const open = ({ email }: { email: string }) =>
    openPhone({
      enrolment: { server_url, ...acme },
      identity: { ...carried.identity, email },
      store: memoryStore(pair),
      onEvent: () => undefined,
    })
  await (await open(former)).authenticate()
  const phone = await open(holder)
  const { device_reference } = await phone.authenticate()
  await phone.record(smallRecording(carried, Math.floor(Date.now() / 1000)))
  await phone.sync({ patience: 60 })
  return device_reference
}

/** Copies the device's upload with all dependent rows, one per minute into the past. */
async function multiply(client: OwnerClient, device_reference: string): Promise<void> {
  await client.query(
    'create temporary table one as select p.* from payloads p join devices d using (client_id, device_id) where d.device_reference = $1',
    [device_reference],
  )
  await client.query(`create temporary table copies as
    select nextval(pg_get_serial_sequence('payloads', 'payload_id')) as copy_id, i from generate_series(2, ${PAYLOADS}) i`)
  const columns = async (table: string) =>
    (
      await client.query<{ column_name: string }>(
        `select column_name from information_schema.columns
         where table_name = $1 and table_schema = 'public' and is_identity = 'NO' or (table_name = $1 and column_name = 'payload_id')`,
        [table],
      )
    ).rows.map(({ column_name }) => column_name)
  const copied = async (table: string, from: string) => {
    const names = await columns(table)
    const values = names.map((name) =>
      name === 'payload_id'
        ? 'c.copy_id'
        : name === 'payload_reference'
          ? `lpad(c.i::text, 26, '0')`
          : name === 'fingerprint' && table === 'payload_envelopes'
            ? 't.fingerprint'
            : `t.${name}`,
    )
    await client.query(
      `insert into ${table} (${names.join(', ')}) ${table === 'payloads' ? 'overriding system value' : ''}
       select ${values.join(', ')} from copies c cross join ${from} t`,
    )
  }
  await copied('payloads', 'one')
  for (const table of [...SAME, 'payload_numbers', 'payload_words'])
    await copied(table, `(select * from ${table} where payload_id = (select payload_id from one))`)
  await client.query(
    `truncate payload_counts; insert into payload_counts ${countsSql('select *, 1 as n from payloads')}`,
  )
  await client.query('analyze')
}

async function confirm(url: string, device_reference: string): Promise<void> {
  const browser = new Browser(url)
  const { id_token } = await browser.signIn('acme', 'alice')
  const headers = { authorization: `Bearer ${id_token}`, 'content-type': 'application/json' }
  const { terms } = (await browser.profile('acme', headers.authorization)).body as unknown as {
    terms: { version: string }
  }
  await browser.json('/admin/v1/api/acme/profile/terms', {
    method: 'PUT',
    headers,
    body: JSON.stringify({ version: terms.version }),
  })
  const answer = await browser.json(`/admin/v1/api/acme/devices/${device_reference}/holder`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ decision: 'confirm' }),
  })
  if (answer.status !== 200) throw new Error(`confirming was answered ${answer.status}`)
}

const getCount = async (client: OwnerClient, sql: string): Promise<number> =>
  Number((await client.query<{ count: string }>(sql)).rows[0]?.count)

const getMoved = (client: OwnerClient) => getCount(client, 'select count(*) from payload_reassignments')

async function untilMoved(client: OwnerClient, least: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE * 1000; Date.now() < deadline; await pause(50))
    if ((await getMoved(client)) >= least) return
  throw new Error('they are not filed')
}

async function getPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1000)
}

/** Counts of inconsistencies. */
async function getFaults(client: OwnerClient, device_reference: string): Promise<Record<string, number>> {
  const device = (
    await client.query<{ device_id: number; group_id: number; device_user_id: number }>(
      'select device_id, group_id, device_user_id from devices where device_reference = $1',
      [device_reference],
    )
  ).rows[0]
  if (!device) throw new Error('the device is gone')
  const of = `p.device_id = ${device.device_id}`
  const faults: Record<string, number> = {
    lost: PAYLOADS - (await getCount(client, `select count(*) from payloads p where ${of}`)),
    'left behind': await getCount(
      client,
      `select count(*) from payloads p where ${of} and (group_id, device_user_id) is distinct from (${device.group_id}, ${device.device_user_id})`,
    ),
    'without record, or with two': await getCount(
      client,
      `select count(*) from payloads p where ${of} and (select count(*) from payload_reassignments r where r.payload_id = p.payload_id) <> 1`,
    ),
    miscounted: await getCount(
      client,
      `select count(*) from (
         select group_id, count(*) as n from payloads group by 1) p
       full join (select group_id, sum(total) as n from payload_counts where grain = 'm' and type = 0 and group_id > 0 group by 1 having sum(total) <> 0) c using (group_id)
       where p.n is distinct from c.n`,
    ),
  }
  for (const table of LISTED)
    faults[`elsewhere in ${table}`] = await getCount(
      client,
      `select count(*) from ${table} x join payloads p using (payload_id) where ${of} and x.group_id <> p.group_id`,
    )
  return faults
}

main().then(
  (isSound) => {
    console.log(isSound ? 'All were filed anew, once.' : 'The promise does NOT hold.')
    process.exitCode = isSound ? 0 : 1
  },
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  },
)
