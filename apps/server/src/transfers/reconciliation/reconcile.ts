import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  canonical,
  DAY,
  RECONCILIATION_FORMAT,
  type ReconciliationSummary,
  type TransferReconciliation,
} from '@custodia/contract'
import { reconciliationPath, utcDay } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { systemEntry } from '../../http/audit-entry.ts'
import { type Handlers, marked } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { getPage } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'
import { watchWork } from '../../jobs/watch-work.ts'
import { TargetProblem, type TargetSession } from '../../ports/targets/port.ts'
import { getFormat } from '../deliver.ts'
import { settleReconciliation, alertOnConfig } from '../facts.ts'
import { reachDecider, reasonEnded, watchSession } from '../reach.ts'
import { findConfig, type StoredConfig } from '../store.ts'
import { openTarget, getRoot } from '../target.ts'
import { type ReconciledConfig, countDays, type DayCounts, firstTime, readDay } from './figures-store.ts'
import {
  countReconciliations,
  findReconciliation,
  insertReconciliation,
  listReconciliations,
  type NewestVersion,
  newestVersions,
  noteReconciled,
  noteSent,
  reconciledOn,
} from './reconciliation-store.ts'

/** Actor and audit action of reconciliations. */
const TRANSFERS = marked('transfers', 'system')
const RECONCILE = 'transfers:reconcile'
/** Days per statement. */
const SPAN = 31
const NOTHING: DayCounts = { captured: 0, delivered: 0, missing: 0, reasons: [] }

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'egress' | 'audit' | 'now'>
interface Scope {
  ctx: Parts
  client_id: number
  client: string
  stored: StoredConfig
  captured: ReconciledConfig
  signal: AbortSignal
}

/**
 * Signs the figures of each past UTC day that changed and delivers them to the config's target. Files are stored before
 * sending and sent until delivered, unchanged. One process at a time.
 */
export async function reconcileConfig(
  ctx: Parts,
  { client_id, client, reference }: { client_id: number; client: string; reference: string },
  signal: AbortSignal,
): Promise<void> {
  await ctx.db.locked(`reconciliation:${client_id}:${reference}`, async (lost) => {
    const decide = reachDecider(ctx)
    const found = await ctx.db.read(client_id, async (q) => {
      const stored = await findConfig(q, reference)
      return stored && { stored, ...(await decide(q, stored)) }
    })
    if (!found?.stored.config.is_active || found.stored.config.transfer_type !== 'Payload') return
    const { stored, reach } = found
    const captured = { ...stored.config, reach }
    await reconcile({ ctx, client_id, client, stored, captured, signal: AbortSignal.any([signal, lost]) })
  })
}

async function reconcile(scope: Scope): Promise<void> {
  const { ctx, client_id, stored } = scope
  const { config } = stored
  const today = utcDay(ctx.now())
  const waiting = await signChangedDays(scope, today)
  try {
    await sendAll(scope, waiting)
  } catch (error) {
    scope.signal.throwIfAborted()
    // The next pass sends to the changed target.
    if (error instanceof ConfigChanged) return
    if (!(error instanceof TargetProblem)) throw error
    const now = ctx.now()
    await ctx.db.write(client_id, async (tx) => {
      for (const each of waiting) await noteSent(tx, each, { error_message: error.message })
      await alertOnConfig(tx, 'transfer_unreconciled', config, { now, days: waiting.size })
    })
    return
  }
  await ctx.db.write(client_id, async (tx) => {
    await noteReconciled(tx, config.transfer_config_reference, today)
    await settleReconciliation(tx, config, ctx.now())
  })
}

/** Signs changed days; resolves to the undelivered ones, oldest first. */
async function signChangedDays(scope: Scope, today: number): Promise<Set<string>> {
  const { ctx, client_id, stored, signal } = scope
  const { transfer_config_reference } = stored.config
  const newest = await ctx.db.read(client_id, (q) => newestVersions(q, transfer_config_reference))
  const waiting = new Set<string>()
  for await (const [day, counts] of daysBefore(scope, today, newest)) {
    signal.throwIfAborted()
    const before = newest.get(day)
    if (!before || isOther(stored, before, counts)) waiting.add(await sign(scope, day, before))
    else if (before.sent_at === null) waiting.add(before.reconciliation_reference)
  }
  return waiting
}

/** Days with captures or earlier figures; also the empty days since the last run and yesterday. */
async function* daysBefore(
  { ctx, client_id, stored, captured }: Scope,
  today: number,
  newest: ReadonlyMap<number, NewestVersion>,
): AsyncGenerator<[number, DayCounts]> {
  const yesterday = today - DAY
  const first = await ctx.db.read(client_id, firstTime)
  const since =
    (await ctx.db.read(client_id, (q) => reconciledOn(q, stored.config.transfer_config_reference))) ??
    yesterday
  for (let from = Math.min(yesterday, since, utcDay(first ?? today)); from < today; from += SPAN * DAY) {
    const to = Math.min(today, from + SPAN * DAY)
    const days = await ctx.db.read(client_id, (q) => countDays(q, captured, { from, to }))
    for (let day = from; day < to; day += DAY) {
      const counts = days.get(day)
      if (counts) yield [day, counts]
      else if (day >= since || newest.has(day)) yield [day, NOTHING]
    }
  }
}

/** Payloads and deliveries only increase, so equal counts of the same types mean equal sets. */
const isOther = (
  { config }: StoredConfig,
  before: NewestVersion,
  { captured, delivered, reasons }: DayCounts,
) =>
  !isDeepStrictEqual(
    [captured, delivered, reasons, config.payload_types.toSorted()],
    [before.captured, before.delivered, before.reasons, before.payload_types.toSorted()],
  )

/** Signs and stores a new version of a day; resolves to its name. */
async function sign(
  { ctx, client_id, client, stored, captured: of }: Scope,
  day: number,
  before: NewestVersion | undefined,
): Promise<string> {
  const { transfer_config_reference, payload_types } = stored.config
  const figures = await ctx.db.read(client_id, (q) => readDay(q, of, day))
  const head = {
    transfer_config_reference,
    reconciliation_reference: newId(),
    version: (before?.version ?? 0) + 1,
    payload_types,
    issued_at: ctx.now(),
  }
  const reconciliation: TransferReconciliation['reconciliation'] = {
    format: RECONCILIATION_FORMAT,
    client,
    ...head,
    payload_date: getDate(day),
    ...figures,
    replaces: before?.checksum ?? null,
  }
  const body = canonical(reconciliation)
  const { key_id, signature } = await ctx.keys.sign(Buffer.from(body))
  const checksum = createHash('sha256').update(body).digest('hex')
  const { captured, delivered, missing, reasons } = figures
  const kept = { ...head, payload_date: day, captured, delivered, missing, reasons }
  await ctx.db.write(client_id, (tx) =>
    insertReconciliation(tx, { ...kept, key_id, checksum, body, signature }),
  )
  return head.reconciliation_reference
}

/** Sends waiting files over one connection and removes each from the set. */
async function sendAll(scope: Scope, waiting: Set<string>): Promise<void> {
  const { ctx, client, stored } = scope
  if (waiting.size === 0) return
  const { config, sealed } = stored
  const format = await getFormat(scope)
  const work = watchWork({
    limits: ctx.config.transfers,
    signal: scope.signal,
    check: () => assertSame(scope),
  })
  let session: TargetSession | undefined
  try {
    const asked = { params: config.params, kept: sealed }
    session = watchSession(
      work,
      await openTarget(ctx, client, config.transfer_config_reference, asked, work.signal),
    )
    for (const reference of waiting) {
      await assertSame(scope)
      work.signal.throwIfAborted()
      await send(scope, { session, format }, reference)
      waiting.delete(reference)
    }
  } catch (error) {
    throw reasonEnded(work, error)
  } finally {
    work.stop()
    await session?.close()
  }
}

class ConfigChanged extends Error {}

/** Throws when the config changed or delivers nothing any more. */
async function assertSame({ ctx, client_id, stored }: Scope): Promise<void> {
  const { transfer_config_reference } = stored.config
  const present = await ctx.db.read(client_id, (q) => findConfig(q, transfer_config_reference))
  if (!present?.config.is_active)
    throw new TargetProblem('refused', 'the transfer config is gone or switched off')
  if (present.config.version !== stored.config.version) throw new ConfigChanged()
}

async function send(
  { ctx, client_id, stored }: Scope,
  { session, format }: { session: TargetSession; format: Awaited<ReturnType<typeof getFormat>> },
  reconciliation_reference: string,
): Promise<void> {
  const { transfer_config_reference, params, transfer_file_format } = stored.config
  const signed = await ctx.db.read(client_id, (q) => findReconciliation(q, reconciliation_reference))
  if (!signed) throw new Error('the reconciliation does not exist')
  const file = signedFile(signed)
  const { payload_date, version } = file.reconciliation
  const content = Buffer.from(canonical(file))
  const { dest_path } = await session.deliver({
    path: reconciliationPath({
      root: getRoot(params),
      day: Date.parse(payload_date) / 1000,
      format: transfer_file_format,
    }),
    async *open() {
      yield content
    },
    sha256: createHash('sha256').update(content).digest('hex'),
    size: content.length,
    format,
  })
  const at = ctx.now()
  await ctx.db.write(client_id, async (tx) => {
    await noteSent(tx, reconciliation_reference, { at, dest_path })
    const facts = { reconciliation_reference, transfer_config_reference, payload_date, version }
    await ctx.audit.appendWithin(tx, systemEntry({ client_id }, { at, by: TRANSFERS }, RECONCILE, facts))
  })
}

/** The stored bytes of a reconciliation file. */
export const signedFile = ({
  body,
  key_id,
  signature,
}: {
  body: string
  key_id: string
  signature: Buffer
}): TransferReconciliation => ({
  reconciliation: JSON.parse(body) as TransferReconciliation['reconciliation'],
  signature: { algorithm: 'Ed25519', key_id, value: signature.toString('base64') },
})

const getDate = (day: number): string => new Date(day * 1000).toISOString().slice(0, 10)

type Rows = 'listTransferReconciliations' | 'readTransferReconciliation'

/** Routes of daily reconciliations. */
export const reconciliationRoutes = ({ cursors }: Pick<AppContext, 'cursors'>): Handlers<Rows> => ({
  listTransferReconciliations: (context, { query }) =>
    context.read(async (q) => {
      const { transfer_config_reference } = query
      const filter = { transfer_config_reference, ...timeRange(query) }
      if (query.type === 'total') return { total: await countReconciliations(q, filter) }
      return getPage<ReconciliationSummary, readonly [string, string]>(
        cursors,
        { name: 'transfer_reconciliations', client_id: context.caller.client_id, query },
        (after, limit) => listReconciliations(q, filter, after, limit),
        (row) => [row.payload_date, row.transfer_config_reference],
      )
    }),
  readTransferReconciliation: async ({ read }, { params }) => {
    const found = await read((q) => findReconciliation(q, params.reconciliation_reference))
    if (!found) throw new Problem('not_found', { detail: 'no such reconciliation' })
    return signedFile(found)
  },
})
