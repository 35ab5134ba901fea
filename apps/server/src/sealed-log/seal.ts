import { randomBytes } from 'node:crypto'
import {
  getDigest,
  formatCheckpoint,
  formatNote,
  GrowingTree,
  leafHash,
  type NoteKey,
  utf8,
} from '@custodia/sealed-log'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { insertSealed, lockSealed, readUnsealed } from './batch-store.ts'
import { checkClient } from './contradictions.ts'
import { getLeaf, getNodes } from './entry-store.ts'
import { noteKeys, getOrigin, sha256 } from './notes.ts'
import { BATCH_ENTRIES, BATCH_SPAN, sealedFields } from './sources.ts'

/** Bytes of a salt. */
const SALT = 16
/** Least milliseconds between two looks at the clients that this process has written for: batches are large, and sealed within two seconds. */
const LOOK_MS = 1500
/** The same after a look that left entries, which waited for a running transaction. */
const AGAIN_MS = 250
/** Looks between two rounds over all clients: commands and processes that ended leave entries too. */
const ALL_EVERY = 40

type Parts = Pick<AppContext, 'db' | 'keys' | 'now'>
interface Client {
  client_id: number
  client: string
}

/**
 * The trees that this process sealed last. While no other process seals, a tree need not be read again, of which every
 * batch would hash up to 255 entries.
 */
const trees = new WeakMap<Parts['db'], Map<number, GrowingTree>>()

/**
 * Gives a position to entries that have none, and signs a checkpoint. Resolves to whether some are left: more than a
 * batch, or entries that wait for a running transaction. Processes may call it at the same time.
 */
export async function sealBatch(ctx: Parts, client: Client): Promise<boolean> {
  const { client_id } = client
  const mine = trees.get(ctx.db) ?? new Map<number, GrowingTree>()
  trees.set(ctx.db, mine)
  const { hasMore, tree } = await ctx.db.write(
    client_id,
    (tx) => {
      const last = mine.get(client_id)
      // A batch that fails leaves a tree that the database does not have.
      mine.delete(client_id)
      return seal(ctx, tx, client, last)
    },
    true,
  )
  if (tree) mine.set(client_id, tree)
  return hasMore
}

async function seal(
  { keys, now }: Parts,
  tx: Tx,
  { client_id, client }: Client,
  last: GrowingTree | undefined,
): Promise<{ hasMore: boolean; tree?: GrowingTree | undefined }> {
  const sealed = await lockSealed(tx)
  if (!sealed) return { hasMore: true }
  const { size, until_xid, is_restored: isRestored } = sealed
  const found = await readUnsealed(tx, sealed, BATCH_ENTRIES)
  const [first] = found
  // Another process sealed a batch that the lock did not see.
  if (first && first.size !== size) return { hasMore: true }
  const beyond = BigInt(first?.xid ?? 0) + BigInt(BATCH_SPAN)
  const end = found.findIndex(({ is_final, xid }) => !is_final || BigInt(xid) >= beyond)
  const taken = end < 0 ? found : found.slice(0, end)
  const newest = taken.at(-1)
  if (!newest) return { hasMore: found.length > 0, tree: last }
  const hasMore = found.length > taken.length || found.length === BATCH_ENTRIES
  const tree = last?.size === size ? last : await GrowingTree.read(sha256, getNodes(tx, client_id), size)
  const nodes = []
  const salts = randomBytes(SALT * taken.length)
  const entries = []
  for (const [index, entry] of taken.entries()) {
    const salt = salts.subarray(index * SALT, (index + 1) * SALT)
    const digest = Buffer.from(getDigest(sha256, salt, sealedFields(entry.fields)))
    entries.push({ ...entry, salt, digest })
    nodes.push(...tree.append(leafHash(sha256, utf8(getLeaf({ ...entry, digest })))))
  }
  const text = formatCheckpoint({ origin: getOrigin(client), size: tree.size, root: tree.root() })
  const { key_id, signature } = await keys.sign(Buffer.from(text))
  const key = await noteKeyOf(keys, client, key_id)
  await insertSealed(tx, {
    from: size,
    entries,
    nodes,
    // A restored log keeps its mark until all of it was looked through; then it has one of this server.
    until_xid: isRestored ? (hasMore ? until_xid : newest.oldest_xid) : newest.xid,
    checkpoint: {
      size: tree.size,
      signed_at: now(),
      algorithm: key.algorithm,
      key_id,
      checkpoint: formatNote(sha256, text, key, signature),
    },
  })
  return { hasMore, tree }
}

/** Signing keys by name and client: they never change. */
const known = new Map<string, NoteKey>()

async function noteKeyOf(keys: Parts['keys'], client: string, key_id: string): Promise<NoteKey> {
  const name = `${client} ${key_id}`
  const key = known.get(name) ?? (await noteKeys(keys, client)).get(key_id)
  if (!key) throw new Error(`the signing key ${key_id} has no public half`)
  known.set(name, key)
  return key
}

/**
 * Seals entries of the clients that this process writes for, every second and a half, and now and then of all clients. An idle
 * process asks the database nothing. Returns a function that ends it.
 * @param isHolder whether this process also copies checkpoints to the data folder
 */
export function startSealing(
  ctx: Parts & Pick<AppContext, 'config' | 'log'>,
  isHolder: boolean,
): () => Promise<void> {
  const { db, log } = ctx
  const names = new Map<number, string>()
  let looks = 0
  let isLeft = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  let hasEnded = false

  async function addAll(): Promise<void> {
    for (const { client_id, client } of await listClients(db)) {
      names.set(client_id, client)
      db.written.add(client_id)
    }
  }

  async function look(): Promise<void> {
    isLeft = false
    try {
      const isRound = looks++ % ALL_EVERY === 0
      if (isRound || [...db.written].some((client_id) => !names.has(client_id))) await addAll()
      // A copy, because a client with more entries is added again.
      for (const client_id of Array.from(db.written)) await alone(client_id, () => sealWritten(client_id))
      if (isRound && isHolder)
        for (const [client_id, client] of names)
          await alone(client_id, () => checkClient(ctx, { client_id, client }, true))
    } catch (error) {
      log.warn({ err: error }, 'entries could not be sealed')
    }
  }

  /** A client whose log fails does not keep others from being sealed and checked. */
  const alone = (client_id: number, work: () => Promise<void>) =>
    work().catch((error: unknown) => log.warn({ err: error, client_id }, 'a log could not be sealed'))

  async function sealWritten(client_id: number): Promise<void> {
    const client = names.get(client_id)
    db.written.delete(client_id)
    if (client === undefined) return
    let hasMore = true
    try {
      hasMore = await sealBatch(ctx, { client_id, client })
      isLeft ||= hasMore
    } finally {
      if (hasMore) db.written.add(client_id)
    }
  }

  function plan(pause: number): void {
    if (hasEnded) return
    timer = setTimeout(() => {
      const started = performance.now()
      running = look().finally(() => plan(Math.max(isLeft ? AGAIN_MS : LOOK_MS, performance.now() - started)))
    }, pause)
  }

  plan(LOOK_MS)
  return async () => {
    hasEnded = true
    clearTimeout(timer)
    await running
  }
}
