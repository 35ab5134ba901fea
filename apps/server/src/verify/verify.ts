import { createPublicKey, verify } from 'node:crypto'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { openConnection } from '../ports/database/connect.ts'
import { getKeyId } from '../ports/keys/signing.ts'
import {
  type CheckedCounts,
  CHECKS,
  type Client,
  type Finding,
  Findings,
  type Scope,
  Session,
} from './checks.ts'
import { type Part, verifyContents } from './deep.ts'
import { verifyHistories } from './histories.ts'
import { startDecryptors, verifyKeys } from './keys.ts'
import { verifyLedger } from './ledger.ts'
import { compareObjects, listObjects, verifyStore } from './listing.ts'
import { verifyProtection } from './protection.ts'
import { verifyRows } from './rows.ts'
import { verifySealedLog } from './sealed-log.ts'
import { verifySealed } from './sealed.ts'
import { verifyCertificates, verifyReconciliations } from './signed.ts'
import { countUnnamed, NamedSlots, verifyKeystore, verifySlots } from './slots.ts'

/** What is signed to see whether the key and its public half belong together. */
const PROBE = Buffer.from('custodia verify')

/** Whether the signing key opens and signs what its public half verifies, and each public key has its own name. */
async function verifySigning({ ctx, findings }: Scope): Promise<void> {
  const found = (detail: string) => findings.add('key_refused', null, [{ subject: 'signing key', detail }])
  try {
    const listed = await ctx.keys.verificationKeys()
    for (const { key_id, public_key_pem } of listed)
      if (getKeyId(createPublicKey(public_key_pem)) !== key_id) found(`${key_id} names another public key`)
    const { key_id, signature } = await ctx.keys.sign(PROBE)
    const pem = listed.find((each) => each.key_id === key_id)?.public_key_pem
    if (pem === undefined || !verify(null, PROBE, createPublicKey(pem), signature))
      found(`${key_id} does not verify what it signed`)
  } catch (error) {
    // Throws if all keys fail, because then no verdict on this key is possible.
    await ctx.keys.health()
    found(error instanceof Error ? error.message : String(error))
  }
}

interface VerifyOptions {
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

/** The result of a check: what was examined, and the findings. */
export interface VerifyReport {
  outcome: 'clean' | 'findings' | 'unverified'
  /** Epoch seconds. */
  started_at: number
  ended_at: number
  checked: CheckedCounts
  /** How often each check found something, per client. */
  found: Findings['counts']
  findings: readonly Finding[]
  /** Why it ended early. */
  problem?: string
}

type Parts = Pick<AppContext, 'config' | 'db' | 'objects' | 'keys' | 'now' | 'log'>

/** A client was named that does not exist. */
class UnknownClient extends Error {
  override name = 'UnknownClient'
}

/**
 * Compares the whole archive with its invariants: rows, states and their history, counters, keys, safeguards and
 * objects; optionally opens objects. It is read-only, blocks no writer and may run next to a live server: a changing
 * record is read again before it counts. Never throws: the report carries failures.
 */
export async function verifyArchive(ctx: Parts, options: VerifyOptions = {}): Promise<VerifyReport> {
  const started_at = ctx.now()
  const findings = new Findings()
  const checked: CheckedCounts = { clients: 0, payloads: 0, objects: 0, opened: 0, opened_bytes: 0 }
  let problem: string | undefined
  try {
    const connections = await Promise.all(
      [1, 2].map(() => openConnection(ctx.db.connection, 'custodia verify')),
    )
    const [session, listing] = connections.map((each) => new Session(each)) as [Session, Session]
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
  say?.('Listing the object store and comparing rows meanwhile …')
  const listed = listObjects(scope, only)
  // The await below reports the failure.
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
      await verifySealedLog(scope, each, config.dataDir)
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
  await session.enter(client)
  await work()
}

/** Findings of a kind that the report spells out; `--json` has more. */
const SPELLED = 20

/** A report for people. */
export function verifyReport({
  outcome,
  started_at,
  ended_at,
  checked,
  found,
  findings,
  problem,
}: VerifyReport): string {
  const seconds = Math.max(1, ended_at - started_at)
  const lines = [
    `${count(checked.payloads, 'payload')} of ${count(checked.clients, 'client')}, ${count(checked.objects, 'object')} listed, ${count(checked.opened, 'object')} opened (${megabytes(checked.opened_bytes)}), in ${seconds} s`,
  ]
  if (checked.keys_unnamed)
    lines.push(
      `${count(checked.keys_unnamed, 'key')} in the keystore that no row has named for eight days (docs/destruction.md, "Limits")`,
    )
  for (const { check, client, count: times } of found) {
    lines.push('', `${check}${client === null ? '' : ` in ${client}`}: ${times}`, `  ${CHECKS[check]}`)
    const named = findings.filter((each) => each.check === check && each.client === client)
    for (const { subject, detail } of named.slice(0, SPELLED))
      lines.push(`    ${subject}${detail === '' ? '' : `  (${detail})`}`)
    if (times > Math.min(named.length, SPELLED))
      lines.push(`    … and ${times - Math.min(named.length, SPELLED)} more`)
  }
  lines.push('', SAID[outcome])
  if (problem !== undefined) lines.push(`  ${problem}`)
  return lines.join('\n')
}

const SAID = {
  clean: 'Nothing is missing, altered or contradictory.',
  findings: 'The archive is NOT as it should be.',
  unverified: 'The archive could NOT be verified to its end.',
} as const satisfies Record<VerifyReport['outcome'], string>

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
