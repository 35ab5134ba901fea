import { createHash } from 'node:crypto'
import { readConfig } from '../../apps/server/src/config.ts'
import type { House } from '../../apps/server/src/house.ts'
import { openHouse } from '../../apps/server/src/open-house.ts'
import type { Sent } from './phones.ts'

/** What is left in the server's data folder, compared with what the phones saw. Every list but `orphans` must be empty. */
export interface Findings {
  stored: number
  /** Acknowledged or freed, but not there. */
  lost: string[]
  /** There more than once, counted more than once, or with more than one original. */
  doubled: string[]
  /** Not come to rest, or come to rest in another state than Processed. */
  stuck: string[]
  /** The object is missing, or its bytes are not what the phone sealed. */
  unreadable: string[]
  /** Forgotten after the acknowledgement, or called unusable although intact. */
  disowned: string[]
  /** Objects that belong to no payload: harmless, swept later. */
  orphans: string[]
}

interface StoredPayload {
  payload_reference: string
  state: string
  originals: { object_key: string; sealed_size: number }[]
}

const nothing = () => undefined
const QUIET: Parameters<typeof openHouse>[1] = {
  level: 'silent',
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
  child: () => QUIET,
}

/** Opens the data folder of a server that has ended, and looks. */
export async function examine(
  dataDir: string,
  env: Record<string, string>,
  sent: ReadonlyMap<string, Sent>,
): Promise<Findings> {
  const config = readConfig({ ...env, CUSTODIA_DATA: dataDir })
  const { house, close } = await openHouse(config, QUIET, nothing)
  const findings: Findings = {
    stored: 0,
    lost: [],
    doubled: [],
    stuck: [],
    unreadable: [],
    disowned: [],
    orphans: [],
  }
  try {
    const kept = new Set<string>()
    const clients = await clientsOf(house)
    const names = new Set(clients.map(({ client }) => client))
    for (const [payload_reference, each] of sent) {
      if (!names.has(each.account_reference)) findings.lost.push(payload_reference)
    }
    for (const { client_id, client } of clients) {
      const mine = new Map([...sent].filter(([, each]) => each.account_reference === client))
      const payloads = await payloadsOf(house, client_id)
      findings.stored += payloads.length
      await compare(house, mine, payloads, findings)
      await compareCounts(house, client_id, client, payloads.length, findings)
      for (const { originals } of payloads) for (const { object_key } of originals) kept.add(object_key)
      for (const key of await otherObjectsOf(house, client_id)) kept.add(key)
    }
    for await (const { key } of house.objects.list('')) if (!kept.has(key)) findings.orphans.push(key)
    return findings
  } finally {
    await close()
  }
}

async function compare(
  house: House,
  sent: ReadonlyMap<string, Sent>,
  payloads: readonly StoredPayload[],
  findings: Findings,
): Promise<void> {
  const stored = Map.groupBy(payloads, (each) => each.payload_reference)
  for (const [payload_reference, each] of sent) {
    if (!each.isAcknowledged && !each.isFreed) continue
    const [found, ...more] = stored.get(payload_reference) ?? []
    if (each.isForgotten || each.isRefused || each.failures > 0) findings.disowned.push(payload_reference)
    if (!found) findings.lost.push(payload_reference)
    else if (more.length > 0 || found.originals.length > 1) findings.doubled.push(payload_reference)
    else if (found.state !== 'Processed' || !each.isFreed)
      findings.stuck.push(`${payload_reference} ${found.state}`)
    else if (!(await isIntact(house, found, each))) findings.unreadable.push(payload_reference)
  }
  for (const { payload_reference, state } of payloads) {
    if (!sent.has(payload_reference)) findings.doubled.push(`${payload_reference} was never sent`)
    else if (['Recorded', 'Uploaded', 'Scanning'].includes(state)) {
      if (!findings.stuck.some((each) => each.startsWith(payload_reference))) {
        findings.stuck.push(`${payload_reference} ${state}`)
      }
    }
  }
}

async function isIntact(
  house: House,
  { originals }: StoredPayload,
  { checksum, size }: Sent,
): Promise<boolean> {
  const [original] = originals
  if (!original || original.sealed_size !== size) return false
  try {
    const hash = createHash('sha256')
    for await (const chunk of house.objects.read(original.object_key)) hash.update(chunk)
    return hash.digest('hex') === checksum
  } catch {
    return false
  }
}

async function clientsOf(house: House): Promise<{ client_id: number; client: string }[]> {
  const { rows } = await house.db.global((q) =>
    q.query<{ client_id: number; client: string }>('select client_id, client from clients', []),
  )
  return rows
}

async function payloadsOf(house: House, client_id: number): Promise<StoredPayload[]> {
  const { rows } = await house.db.read(client_id, (q) =>
    q.query<StoredPayload>(
      `select p.payload_reference, s.name as state,
         coalesce(
           (select jsonb_agg(jsonb_build_object('object_key', o.object_key, 'sealed_size', o.sealed_size))
            from payload_objects o where o.payload_id = p.payload_id and o.kind = 'original'),
           '[]'
         ) as originals
       from payloads p join payload_states s on s.code = p.state`,
      [],
    ),
  )
  return rows
}

async function otherObjectsOf(house: House, client_id: number): Promise<string[]> {
  const { rows } = await house.db.read(client_id, (q) =>
    q.query<{ object_key: string }>('select object_key from payload_objects', []),
  )
  return rows.map((each) => each.object_key)
}

/** The rollups and the list of unfinished work, against the payloads themselves. */
async function compareCounts(
  house: House,
  client_id: number,
  client: string,
  payloads: number,
  findings: Findings,
): Promise<void> {
  const { rows } = await house.db.read(client_id, (q) =>
    q.query<{ counted: number; unfinished: number }>(
      `select coalesce((select sum(count) from payload_counts where grain = 'd'), 0)::int as counted,
         (select count(*) from payload_work)::int as unfinished`,
      [],
    ),
  )
  const { counted = 0, unfinished = 0 } = rows[0] ?? {}
  if (counted !== payloads) findings.doubled.push(`${client} counts ${counted} payloads and has ${payloads}`)
  if (unfinished > 0) findings.stuck.push(`${client} lists ${unfinished} payloads as unfinished`)
}
