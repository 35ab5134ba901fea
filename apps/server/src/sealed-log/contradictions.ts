import { equal, GrowingTree, type NoteKey } from '@custodia/sealed-log'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { OPERATOR } from '../http/context.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { readCheckpoints } from './checkpoint-store.ts'
import { getNodes } from './entry-store.ts'
import { readHeld, writeHeld } from './held-checkpoint.ts'
import {
  type Contradiction,
  contradictedAt,
  insertContradictions,
  readHolders,
  resolveContradictions,
  saveHolder,
} from './holder-store.ts'
import { noteKeys, openCheckpoint, getOrigin, sha256 } from './notes.ts'

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'now' | 'log'>
interface Client {
  client_id: number
  client: string
}

/** The data folder as a holder of checkpoints. */
export const DATA_FOLDER = 'data folder'
/** Its action in the account's log. */
const RESOLVE = 'operator:resolve_sealed_log'

/**
 * Compares the log with the newest checkpoint that each holder has: it must have as many entries, and the same ones.
 * Resolves to the checkpoints that it does not continue.
 */
export async function findContradictions(
  q: Queryable,
  { keys, held, client }: { keys: readonly NoteKey[]; held: string | undefined; client: string },
): Promise<Contradiction[]> {
  const holders = (await readHolders(q)).filter(({ holder }) => holder !== DATA_FOLDER)
  const all = [...(held === undefined ? [] : [{ holder: DATA_FOLDER, checkpoint: held }]), ...holders]
  const size = (await readCheckpoints(q, 1))[0]?.size ?? 0
  const found: Contradiction[] = []
  for (const { holder, checkpoint } of all) {
    const stated = openCheckpoint(checkpoint, keys)
    if (stated?.origin !== getOrigin(client))
      found.push({ holder, size: stated?.size ?? 0, fault: 'not_ours' })
    else if (stated.size > size) found.push({ holder, size: stated.size, fault: 'cut_off' })
    else if (!(await isUnchanged(q, stated))) found.push({ holder, size: stated.size, fault: 'changed' })
  }
  return found
}

/** Whether the log begins with the entries of a checkpoint. */
async function isUnchanged(
  q: Queryable,
  { size, root }: { size: number; root: Uint8Array },
): Promise<boolean> {
  const tree = await GrowingTree.read(sha256, getNodes(q, q.client_id), size)
  return equal(tree.root(), root)
}

/**
 * Looks for contradictions of a client's log, notes them, and raises an alert for each new one. While one is not
 * resolved, nothing is destroyed. Without any, the data folder gets the newest checkpoint.
 */
export async function checkClient(parts: Parts, account: Client, isHolder: boolean): Promise<void> {
  const { config, db, keys, now } = parts
  const { client_id, client } = account
  const held = await readHeld(config.dataDir, client)
  const newest = await db.read(client_id, (q) => readCheckpoints(q, 1)).then(([first]) => first)
  if (held === undefined && newest === undefined) return
  const trusted = [...(await noteKeys(keys, client)).values()]
  const found = await db.read(client_id, (q) => findContradictions(q, { keys: trusted, held, client }))
  const known = found.length > 0 && (await contradict(parts, account, found)).length === 0
  const isResolved = known && (await db.read(client_id, contradictedAt)) === null
  if ((found.length > 0 && !isResolved) || !isHolder || !newest || newest.checkpoint === held) return
  await writeHeld(config.dataDir, client, newest.checkpoint)
  await db.write(
    client_id,
    (tx) =>
      saveHolder(tx, {
        holder: DATA_FOLDER,
        size: newest.size,
        checkpoint: newest.checkpoint,
        receipt: null,
        held_at: now(),
      }),
    true,
  )
}

/** Notes contradictions of a client and raises an alert for the new ones, to which it resolves. */
export const contradict = (
  { db, log, now }: Pick<AppContext, 'db' | 'log' | 'now'>,
  { client_id, client }: Client,
  found: readonly Contradiction[],
): Promise<Contradiction[]> =>
  db.write(client_id, async (tx) => {
    const added = await insertContradictions(tx, found, now())
    for (const { holder, size, fault } of added) {
      log.error({ client, holder, size, fault }, 'the sealed log contradicts a checkpoint')
      await raiseAlert(tx, {
        alert_type: 'AccountAlert',
        alert_scopes: ['sec'],
        alert_targets: ['admin', 'client'],
        alert_key_type: 'Scoped',
        alert_key: `sealed log ${holder} ${size}`,
        text: 'sealed_log_contradicted',
        alert_severity: 'High',
        now: now(),
      })
    }
    return added
  })

/** Checks the logs of all clients at start. A client whose log cannot be checked does not keep others from it. */
export async function checkSealedLogs(parts: Parts): Promise<void> {
  for (const account of await listClients(parts.db))
    await checkClient(parts, account, false).catch((error: unknown) =>
      parts.log.error({ err: error, client: account.client }, 'the sealed log could not be checked'),
    )
}

/**
 * The operator accepts all contradictions of a client's log, for example after a restore of an older backup: retention
 * destroys again, and the account's log records the reason. Resolves to how many there were.
 */
export const resolveSealedLog = (
  { db, audit, now }: Pick<AppContext, 'db' | 'audit' | 'now'>,
  { client_id, reason }: { client_id: number; reason: string },
): Promise<number> =>
  db.write(client_id, async (tx) => {
    const resolved = await resolveContradictions(tx, reason, now())
    if (resolved > 0)
      await audit.appendWithin(
        tx,
        systemEntry({ client_id }, { at: now(), by: OPERATOR }, RESOLVE, { reason, resolved }),
      )
    return resolved
  })
