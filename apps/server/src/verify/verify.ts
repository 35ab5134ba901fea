import { listClients } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { openConnection } from '../ports/database/connect.ts'
import { verifyCertificates } from './certificates.ts'
import { verifySealed } from './sealed.ts'
import { verifyReconciliations } from './reconciliations.ts'
import { type Finding, Findings } from './checks.ts'
import { type Part, verifyContents } from './deep.ts'
import { verifyHistories } from './histories.ts'
import { verifyKeys } from './keys.ts'
import { verifySigning } from './signing.ts'
import { compareObjects, listObjects, verifyStore } from './listing.ts'
import { startDecryptors } from './decryptors.ts'
import { verifyProtection } from './protection.ts'
import { verifyLedger } from './ledger.ts'
import { NamedSlots } from './named-slots.ts'
import { countUnnamed, verifyKeystore, verifySlots } from './slots.ts'
import { verifyRows } from './rows.ts'
import { type Checked, type Client, enter, type Scope, type Session, sessionOf } from './scope.ts'

export interface VerifyOptions {
  /** Name of the only client to look at. */
  client?: string | undefined
  /** Epoch seconds: only payloads that changed since. */
  since?: number | undefined
  /** Which part of the objects is opened; absent: none. */
  open?: Part | undefined
  /** Threads that open objects. */
  threads?: number | undefined
  signal?: AbortSignal | undefined
  /** Called before each step. */
  say?: ((step: string) => void) | undefined
}

/** What was looked at and what was found. */
export interface VerifyReport {
  outcome: 'clean' | 'findings' | 'unverified'
  /** Epoch seconds. */
  started_at: number
  ended_at: number
  checked: Checked
  /** How often each check found something, per client. */
  found: Findings['counts']
  findings: readonly Finding[]
  /** Why it ended early. */
  problem?: string
}

type Parts = Pick<AppContext, 'config' | 'db' | 'objects' | 'keys' | 'now' | 'log'>

/** A client was named that does not exist. */
export class UnknownClient extends Error {
  override name = 'UnknownClient'
}

/**
 * Compares the whole archive with its invariants: rows, states and their history, counters, keys, safeguards, objects; opens objects if
 * asked to. It changes nothing, holds no lock that a writer would wait for, and may run beside a living server: what is in motion is
 * looked at again before it counts. Never throws: what keeps it from an answer is told in the report.
 */
export async function verifyArchive(ctx: Parts, options: VerifyOptions = {}): Promise<VerifyReport> {
  const started_at = ctx.now()
  const findings = new Findings()
  const checked: Checked = { clients: 0, payloads: 0, objects: 0, opened: 0, opened_bytes: 0 }
  let problem: string | undefined
  try {
    const connections = await Promise.all(
      [1, 2].map(() => openConnection(ctx.db.connection, 'custodia verify')),
    )
    const [session, listing] = connections.map(sessionOf) as [Session, Session]
    try {
      const { since = null, signal } = options
      await walk({ ctx, session, listing, findings, checked, since, signal }, ctx, options)
    } finally {
      await Promise.all(connections.map((connection) => connection.end().catch(() => undefined)))
    }
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  const { counts, list } = findings
  return {
    outcome: problem !== undefined ? 'unverified' : counts.length > 0 ? 'findings' : 'clean',
    started_at,
    ended_at: ctx.now(),
    checked,
    found: counts,
    findings: list,
    ...(problem === undefined ? {} : { problem }),
  }
}

async function walk(
  scope: Scope,
  { config, db }: Parts,
  { client, open, threads = 1, say }: VerifyOptions,
): Promise<void> {
  const { session, listing, checked } = scope
  // Sorting a million steps in memory is worth it for the few seconds that this lasts.
  for (const each of [session, listing])
    await each.query(`set statement_timeout = 0; set work_mem = '96MB'; set jit = off`)
  const all = await listClients(db)
  const clients = client === undefined ? all : all.filter((each) => each.client === client)
  if (client !== undefined && clients.length === 0) throw new UnknownClient(`there is no client ${client}`)
  const [only] = client === undefined ? [] : clients
  say?.('Looking at the safeguards of the database …')
  await verifyProtection(scope)
  say?.('Listing the object store, and comparing the rows beside it …')
  const listed = listObjects(scope, only)
  // Whoever waits for it is told.
  listed.catch(() => undefined)
  const named = new NamedSlots()
  for (const each of clients) {
    await visit(scope, session, each, async () => {
      await verifyRows(scope, each)
      checked.payloads += await verifyHistories(scope, each)
      await verifyKeys(scope, each)
      await verifySlots(scope, each, named)
      await verifyCertificates(scope, each)
      await verifyReconciliations(scope, each)
    })
  }
  await listed
  if (!only) await verifyStore(scope, all)
  if (!only) await verifyKeystore(scope)
  if (!only) await verifySigning(scope)
  if (!only && scope.since === null) await countUnnamed(scope, clients, named)
  await verifyLedger(scope, clients)
  for (const each of clients) {
    say?.(`Comparing the objects of ${each.client} …`)
    await visit(scope, listing, each, () => compareObjects(scope, each))
    checked.clients++
  }
  if (!open) return
  await listing.query('drop table verify_objects')
  const decryptors = startDecryptors(
    { objects: { dataDir: config.dataDir, s3: config.s3, clientPortalUrl: config.clientPortalUrl } },
    threads,
  )
  try {
    for (const each of clients) {
      say?.(`Opening the objects of ${each.client} …`)
      await visit(scope, session, each, async () => {
        await verifyContents(scope, each, decryptors, open)
        await verifySealed(scope, each, open)
      })
    }
  } finally {
    await decryptors.close()
  }
}

async function visit(
  scope: Scope,
  session: Session,
  client: Client,
  work: () => Promise<void>,
): Promise<void> {
  scope.signal?.throwIfAborted()
  await enter(session, client)
  await work()
}
