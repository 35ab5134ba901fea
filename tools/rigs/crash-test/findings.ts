import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '../../../apps/server/src/app-context.ts'
import { readConfig } from '../../../apps/server/src/config.ts'
import { createContext } from '../../../apps/server/src/create-context.ts'
import { openObject, ORIGINAL, readWhole } from '../../../apps/server/src/payloads/data-objects.ts'
import {
  findSealedMetadata,
  openSealedMetadata,
} from '../../../apps/server/src/payloads/sealed-metadata-store.ts'
import { findDataSubjects } from '../../../apps/server/src/payloads/store.ts'
import type { SentPayload } from './phones.ts'

/** Server data compared with the devices' view. Every list except `orphans` must be empty. */
export interface Findings {
  stored: number
  /** Stored by its device, but neither on the server nor in the device's queue. */
  lost: string[]
  /** Stored more than once, counted more than once, or with several originals. */
  doubled: string[]
  /** Not in a final state, or in another one than Processed. */
  stuck: string[]
  /** Does not decrypt, or decrypts to other data or metadata. */
  unreadable: string[]
  /** Lost after the acknowledgement, or rejected although intact. */
  disowned: string[]
  /** Objects without a payload: harmless, swept later. */
  orphans: string[]
}

interface StoredPayload {
  payload_id: number
  payload_reference: string
  state: string
  originals: string[]
}

const nothing = () => undefined
const QUIET: Parameters<typeof createContext>[1] = {
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

/** Opens the data folder of a stopped server and examines it. */
export async function examine(
  dataDir: string,
  env: Record<string, string>,
  sent: ReadonlyMap<string, SentPayload>,
): Promise<Findings> {
  const config = readConfig({ ...env, PORT: '0', CUSTODIA_DATA: dataDir })
  const { ctx, close } = await createContext(config, QUIET, nothing)
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
    const clients = await getClients(ctx)
    const names = new Set(clients.map(({ client }) => client))
    for (const [payload_reference, each] of sent) {
      if (!names.has(each.account_reference)) findings.lost.push(payload_reference)
    }
    for (const { client_id, client } of clients) {
      const mine = new Map([...sent].filter(([, each]) => each.account_reference === client))
      const payloads = await getPayloads(ctx, client_id)
      findings.stored += payloads.length
      await compare(ctx, client_id, mine, payloads, findings)
      await compareCounts(ctx, client_id, client, payloads.length, findings)
      for (const { originals } of payloads) for (const object_key of originals) kept.add(object_key)
      for (const key of await getOtherObjects(ctx, client_id)) kept.add(key)
    }
    for await (const { key } of ctx.objects.list('')) if (!kept.has(key)) findings.orphans.push(key)
    return findings
  } finally {
    await close()
  }
}

async function compare(
  ctx: AppContext,
  client_id: number,
  sent: ReadonlyMap<string, SentPayload>,
  payloads: readonly StoredPayload[],
  findings: Findings,
): Promise<void> {
  const stored = Map.groupBy(payloads, (each) => each.payload_reference)
  for (const [payload_reference, each] of sent) {
    if (!each.isKept) continue
    const [found, ...more] = stored.get(payload_reference) ?? []
    if (each.isForgotten || each.isRefused || each.failures > 0) findings.disowned.push(payload_reference)
    if (!found) findings.lost.push(payload_reference)
    else if (more.length > 0 || found.originals.length > 1) findings.doubled.push(payload_reference)
    else if (found.state !== 'Processed' || each.isWaiting)
      findings.stuck.push(`${payload_reference} ${found.state}`)
    else {
      const wrong = await whatIsWrong(ctx, client_id, found, each)
      if (wrong) findings.unreadable.push(`${payload_reference}: ${wrong}`)
    }
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

/** Decrypts data and metadata like the portal: storage key, data key, every segment. */
async function whatIsWrong(
  ctx: AppContext,
  client_id: number,
  { payload_id, payload_reference }: StoredPayload,
  { account_reference, meta, sha256 }: SentPayload,
): Promise<string | undefined> {
  const { subject, sealed } = await ctx.db.read(client_id, async (q) => ({
    subject: (await findDataSubjects(q, [payload_reference])).get(payload_reference),
    sealed: (await findSealedMetadata(q, [payload_id]))[0],
  }))
  const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
  if (!original || !sealed) return 'no original, or no metadata'
  try {
    const opened = await openObject(ctx, account_reference, payload_reference, original)
    const digest = createHash('sha256')
      .update(await readWhole(opened))
      .digest('hex')
    if (digest !== sha256) return 'other data'
    // The SDK adds the number of the recording.
    const { sequence: _number, ...kept } = await openSealedMetadata(ctx, sealed)
    return isDeepStrictEqual(kept, meta) ? undefined : 'other metadata'
  } catch (error) {
    return String(error)
  }
}

async function getClients(ctx: AppContext): Promise<{ client_id: number; client: string }[]> {
  const { rows } = await ctx.db.global((q) =>
    q.query<{ client_id: number; client: string }>('select client_id, client from clients', []),
  )
  return rows
}

async function getPayloads(ctx: AppContext, client_id: number): Promise<StoredPayload[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<StoredPayload>(
      `select p.payload_id, p.payload_reference, s.name as state,
         array(select o.object_key from payload_objects o where o.payload_id = p.payload_id and o.kind = '${ORIGINAL}') as originals
       from payloads p join payload_states s on s.code = p.state`,
      [],
    ),
  )
  return rows
}

async function getOtherObjects(ctx: AppContext, client_id: number): Promise<string[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<{ object_key: string }>('select object_key from payload_objects', []),
  )
  return rows.map((each) => each.object_key)
}

/** Rollups and the list of unfinished work, compared with the payloads. */
async function compareCounts(
  ctx: AppContext,
  client_id: number,
  client: string,
  payloads: number,
  findings: Findings,
): Promise<void> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<{ counted: number; unfinished: number }>(
      `select coalesce((select sum(total) from payload_counts where grain = 'm' and type = 0 and group_id = 0), 0)::int as counted,
         (select count(*) from payload_work)::int as unfinished`,
      [],
    ),
  )
  const { counted = 0, unfinished = 0 } = rows[0] ?? {}
  if (counted !== payloads) findings.doubled.push(`${client} counts ${counted} payloads and has ${payloads}`)
  if (unfinished > 0) findings.stuck.push(`${client} lists ${unfinished} payloads as unfinished`)
}
