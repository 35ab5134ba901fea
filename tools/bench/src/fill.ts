import { randomBytes, scryptSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, TERMS_VERSION } from '@custodia/contract'
import type pg from 'pg'
import { countsSql } from '../../../apps/server/src/payloads/state-store.ts'
import { startEmbedded } from '../../../apps/server/src/ports/database/embedded.ts'
import { connectedOwner, copiedDatabase } from '../../../apps/server/src/testing/database.ts'

/** Shape of an archive. */
export interface Fill {
  rows: number
  groups: number
  devices: number
  /** As many as devices if absent. The first ones hold the devices. */
  people?: number
  /** All payloads are SMS. */
  isMessages?: boolean
  /** Epoch seconds of the newest payload. */
  until: number
}

export const CLIENT = 'bench'
/** Called by one payload in fifty. */
export const HOT_NUMBER = '+440000000000'
/** Syllables that names are made of: two for the first, three for the surname, the first ones most frequent. */
const SYLLABLES = [
  'ma',
  'jo',
  'an',
  'be',
  'ca',
  'da',
  'el',
  'fa',
  'ga',
  'he',
  'ir',
  'ka',
  'li',
  'mo',
  'ni',
  'or',
  'pa',
  'ro',
  'su',
  'zu',
]
const syllables = (index: string, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `s[1 + ${index} / ${SYLLABLES.length ** (count - 1 - i)} % ${SYLLABLES.length}]`,
  ).join(' || ')
const YEARS = 2 * 365 * 86_400

/** A number in [0, 1) that depends on the row and on what it is for, and on nothing else: every run makes the same archive. */
const r = (row: string, purpose: number) =>
  `((hashint8extended(${row}, ${purpose}) & 2147483647)::float8 / 2147483648)`

/**
 * Fills an empty, migrated database as its owner with one client. Group sizes follow a power law (the largest 6 %, the smallest
 * 0.04 %); the last tenth of the groups has been silent for a year; 60 % are calls. Resolves to the client_id.
 */
async function fill(
  owner: pg.Client,
  { rows, groups, devices, people = devices, isMessages = false, until }: Fill,
): Promise<void> {
  await bypassChecks(owner, 0)
  const made = await owner.query<{ client_id: number }>(
    `insert into clients (client, client_name, account_key, created_at) values ('${CLIENT}', 'Bench', '', ${until - YEARS}) returning client_id`,
  )
  const client_id = made.rows[0]?.client_id ?? 0
  await bypassChecks(owner, client_id)
  const statements = [
    `insert into groups (group_id, client_id, group_reference, updated_at, updated_by) overriding system value
     select i, ${client_id}, 'Group ' || lpad(i::text, greatest(4, length(i::text)), '0'), ${until}, 'bench' from generate_series(1, ${groups}) i`,
    `insert into device_users (device_user_id, client_id, device_user_reference, group_id, updated_at, updated_by) overriding system value
     select i, ${client_id}, 'person-' || i, 1 + (i - 1) % ${groups}, ${until}, 'bench' from generate_series(1, ${people}) i`,
    `insert into devices (device_id, client_id, device_reference, device_user_id, group_id, activated_at, updated_at, updated_by) overriding system value
     select i, ${client_id}, 'device-' || i, i, 1 + (i - 1) % ${groups}, ${until}, ${until}, 'bench' from generate_series(1, ${devices}) i`,
    `insert into device_history (client_id, device_id, device_user_id, group_id, from_at)
     select client_id, device_id, device_user_id, group_id, ${until - YEARS} from devices`,
    `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported)
     select ${client_id}, i, '+449' || i, 0, ${until - YEARS}, ${until} from generate_series(1, ${devices}) i`,
    `create unlogged table bench_rows as
     select i, ${until - YEARS} + (i * ${YEARS}::float8 / ${rows})::bigint - (${r('i', 1)} * 3600)::bigint as payload_time, g.group_id,
       g.group_id + ${groups} * floor(${r('i', 3)} * ${Math.floor(devices / groups)})::int as device_id,
       case when ${isMessages} then 4 when k < 0.51 then 1 when k < 0.56 then 2 when k < 0.60 then 3 when k < 0.86 then 4 when k < 0.88 then 5
         when k < 0.90 then 6 when k < 0.93 then 7 when k < 0.97 then 8 when k < 0.99 then 9 else 10 end as type,
       case when n < 0.02 then '${HOT_NUMBER}' else '+44' || lpad(floor(50000 * power((n - 0.02) / 0.98, 3))::text, 10, '1') end as number,
       ${syllables(`floor(400 * power(${r('i', 6)}, 3))::int`, 2)} as first_name, ${syllables(`floor(8000 * power(${r('i', 7)}, 2))::int`, 3)} as surname
     from generate_series(1::bigint, ${rows}) i
     cross join (select array[${SYLLABLES.map((each) => `'${each}'`).join(', ')}] as s) syllables
     cross join lateral (select ${r('i', 4)} as k, ${r('i', 5)} as n) x
     cross join lateral (select 1 + floor(${groups} * power(${r('i', 2)}, 2.455))::int as group_id) y
     cross join lateral (select case when y.group_id > ${groups * 0.9} and i > ${rows / 2} then y.group_id - ${groups / 2} else y.group_id end as group_id) g
     order by 2`,
    `insert into payloads (payload_id, client_id, payload_reference, service, type, state, payload_time, payload_end_time, group_id, device_id,
       device_user_id, announced_at, uploaded_at, processed_at, updated_at) overriding system value
     select i, ${client_id}, lpad(upper(to_hex(i)), 26, '0'), t.service, type, 5, payload_time, payload_time + 60, group_id, device_id, device_id,
       payload_time + 90, payload_time + 100, payload_time + 110, payload_time + 110
     from bench_rows join payload_types t on t.code = type order by i`,
    `insert into payload_documents (payload_id, client_id, list_doc, second_party_numbers, all_numbers, search_text)
     select i, ${client_id}, json_build_object('duration', i % 900, 'direction', case i % 2 when 0 then 'I' else 'O' end, 'parties',
         json_build_array(json_build_object('phone_number', number, 'contact_name', initcap(first_name || ' ' || surname))), 'party_count', 1, 'timezone',
         'Europe/London', 'timezone_offset', 0, 'local_time', to_char(to_timestamp(payload_time), 'YYYY-MM-DD"T"HH24:MI:SS'))::text,
       number, '+449' || device_id || ',' || number,
       ' ' || first_name || ' ' || surname || '#449' || device_id || '$#' || ltrim(number, '+') || '$'
     from bench_rows order by i`,
    `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
     select ${client_id}, hashtextextended(n.number, 0), t.service, payload_time, i, group_id, type, n.is_second
     from bench_rows join payload_types t on t.code = type
     cross join lateral (values (number, true), ('+449' || device_id, false)) n (number, is_second)`,
    `insert into payload_words (client_id, word_hash, service, payload_time, payload_id, group_id, type)
     select ${client_id}, hashtextextended(word, 0), t.service, payload_time, i, group_id, type
     from bench_rows join payload_types t on t.code = type cross join lateral (values (first_name), (surname)) w (word)`,
    `insert into search_words select distinct ${client_id}, word from bench_rows cross join lateral (values (first_name), (surname)) w (word)`,
    `insert into search_numbers select distinct ${client_id}, reverse(ltrim(n.number, '+')), hashtextextended(n.number, 0)
     from bench_rows cross join lateral (values (number), ('+449' || device_id)) n (number)`,
    `insert into device_user_words select ${client_id}, word, i from generate_series(1, ${people}) i cross join lateral (values ('person'), (i::text)) w (word)`,
    `insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at, processed_at)
     select i, ${client_id}, t.service, group_id, type, payload_time + 110, payload_time + 110 from bench_rows join payload_types t on t.code = type`,
    `insert into payload_unconfirmed (client_id, service, payload_time, payload_id, group_id, type)
     select ${client_id}, t.service, payload_time, i, group_id, type from bench_rows join payload_types t on t.code = type`,
    `insert into payload_counts (client_id, service, type, group_id, grain, start, total, parts)
     ${countsSql(`select ${client_id} as client_id, t.service, type, group_id, payload_time, 1 as n from bench_rows join payload_types t on t.code = type`)}`,
    `select recount_fleet(${client_id}), recount_threads(${client_id}), recount_payload_metrics(${client_id})`,
    'drop table bench_rows',
    'vacuum analyze',
    'checkpoint',
  ]
  for (const statement of statements) await owner.query(statement)
}

/** Switches the session to writing without checks: checking each reference would take longer than everything else. */
async function bypassChecks(owner: pg.Client, client_id: number): Promise<void> {
  await owner.query(
    `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '64MB'; set custodia.client_id = '${client_id}'`,
  )
}

/** Adds a person who can sign in to the installation's own identity provider and has accepted the terms. */
async function addPerson(
  owner: pg.Client,
  client_id: number,
  user_reference: string,
  password_hash: string,
  role: string,
  client = CLIENT,
): Promise<void> {
  await owner.query(
    `insert into oidc_people values ($1, $2, $3, $4, null, null, $2)
     on conflict (client, user_reference) do update set roles = excluded.roles`,
    [client, user_reference, password_hash, [role]],
  )
  await owner.query('insert into terms_acceptances values ($1, $2, $3, 0) on conflict do nothing', [
    client_id,
    user_reference,
    TERMS_VERSION,
  ])
}

/** Adds a role that permits these actions in these groups, which it finds by a tag. Without actions it permits all actions on payloads. */
export async function addRole(
  owner: pg.Client,
  client_id: number,
  role_reference: string,
  group_ids: readonly number[] | 'all',
  actions_matching: string[] = ['payloads:*'],
  /** Actions without a group. */
  groupless: string[] = [],
): Promise<void> {
  if (group_ids !== 'all')
    await owner.query(
      `insert into group_tags (client_id, group_id, tag_key, tag_value) select $1, id, 'Reviewed by', $2 from unnest($3::int[]) id on conflict do nothing`,
      [client_id, role_reference, group_ids],
    )
  const conditions = [{ keys_matching: ['Reviewed by'], values_matching: [role_reference] }]
  const role: Role = {
    role_reference,
    permissions: [
      { actions_matching, ...(group_ids === 'all' ? {} : { conditions }) },
      ...(groupless.length > 0 ? [{ actions_matching: groupless }] : []),
    ],
    payload_types: [],
    cidr_ranges: [],
    alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
    is_alertable: false,
    is_system: false,
  }
  await owner.query(
    `insert into roles values ($1, $2, $3, 0, $2)
     on conflict (client_id, role_reference) do update set document = excluded.document`,
    [client_id, role_reference, JSON.stringify(role)],
  )
  await raiseEpoch(owner, client_id)
}

/** Makes running servers read the roles again. */
export async function raiseEpoch(owner: pg.Client, client_id: number): Promise<void> {
  await owner.query('update clients set access_epoch = access_epoch + 1 where client_id = $1', [client_id])
}

/** Password of all people that `addVisitor` adds. */
export const PASSWORD = 'bench-password'

/** A filled database, and a folder for the keys and objects of the server. */
export interface Archive {
  folder: string
  connection: string
  owner: pg.Client
  client_id: number
  stop(): Promise<void>
}

/** Starts PostgreSQL with the settings of an installation, which the tests' own server lacks, for all databases of this process. */
export async function startPostgres(): Promise<() => Promise<void>> {
  const folder = makeFolder()
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), log: () => undefined })
  process.env.TEST_DATABASE_URL = server.url
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A temporary folder that the user of PostgreSQL can enter. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-bench-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Fills a database once per shape. Every caller gets a copy of its own. */
export async function makeArchive(shape: Fill, say: (step: string) => void): Promise<Archive> {
  const folder = makeFolder()
  const filling = {
    name: `bench ${JSON.stringify(shape)}`,
    async fill(empty: string) {
      say(`Filling ${shape.rows} payloads …`)
      const started = performance.now()
      const owner = await connectedOwner(empty)
      await fill(owner, shape).finally(() => owner.end())
      say(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s.`)
    },
  }
  const { connection, drop } = await copiedDatabase({ filling, dataDir: folder })
  const owner = await connectedOwner(connection)
  const { rows } = await owner.query<{ client_id: number }>('select client_id from clients')
  const client_id = rows[0]?.client_id ?? 0
  await bypassChecks(owner, client_id)
  // The copy is on the disk before anything is measured.
  await owner.query('checkpoint')
  return {
    folder,
    connection,
    owner,
    client_id,
    async stop() {
      await owner.end()
      await drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Adds a person who can sign in with `signIn`. */
export async function addVisitor({ owner, client_id }: Archive, user: string, role: string): Promise<void> {
  await addPerson(owner, client_id, user, PASSWORD_HASH, role)
}

/** Adds the provider and an administrator of it, who can sign in with `signIn` too. */
export async function addProvider({ owner }: Archive, client: string, user: string): Promise<void> {
  const { rows } = await owner.query<{ client_id: number }>(
    `insert into clients (client, client_name, is_provider, account_key, created_at) values ($1, 'Provider', true, '', 0) returning client_id`,
    [client],
  )
  await addPerson(owner, rows[0]?.client_id ?? 0, user, PASSWORD_HASH, 'Provider Administrator', client)
}

/** As `ports/identity/passwords.ts` stores it, at the lowest cost: no bench measures sign-ins. */
const PASSWORD_HASH = cheapHash()

function cheapHash(): string {
  const [N, r, p, salt] = [2, 1, 1, randomBytes(16)]
  const hash = scryptSync(PASSWORD, salt, 32, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}
