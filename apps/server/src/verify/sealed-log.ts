import {
  getDigest,
  equal,
  GrowingTree,
  leafHash,
  type NoteKey,
  parseCheckpoint,
  type TreeNode,
  utf8,
} from '@custodia/sealed-log'
import { findContradictions } from '../sealed-log/contradictions.ts'
import {
  getLeaf,
  readSealed,
  readFields,
  type SealedEntry,
  UNSEALED_BEFORE,
} from '../sealed-log/entry-store.ts'
import { readHeld } from '../sealed-log/held-checkpoint.ts'
import { type Contradiction, readHolders } from '../sealed-log/holder-store.ts'
import { noteKeys, openCheckpoint, getOrigin, sha256 } from '../sealed-log/notes.ts'
import { isWithin, getName, SEALED_SOURCES, sealedFields } from '../sealed-log/sources.ts'
import { type Client, KEPT, type Scope } from './checks.ts'
import { goneUntil } from './retention.ts'

/** Entries per look. */
const BATCH = 2000
/** Checkpoints whose signature is verified; the roots of all are compared. */
const SIGNED = 1000

/** SQL: checkpoints of the client $1. */
const HEADS =
  'select size, checkpoint, until_xid::text as until_xid from sealed_checkpoints where client_id = $1'

interface StoredHead {
  size: number
  checkpoint: string
  until_xid: string
}

/**
 * Recomputes the sealed log of a client: every entry from its row, every node and root from the entries, and the
 * signatures of the newest checkpoints; then compares it with the checkpoints that the data folder and others hold.
 */
export async function verifySealedLog(scope: Scope, client: Client, dataDir: string): Promise<void> {
  const { ctx, findings, session, signal } = scope
  const { client_id } = client
  const found = (subject: string, detail: string) =>
    findings.add('sealed_log_wrong', client.client, [{ subject, detail }])
  const [newest] = await session.rows<StoredHead>(`${HEADS} order by size desc limit 1`, [client_id])
  const [oldSize] = await session.rows<{ size: number }>(
    `${HEADS} order by size desc offset ${SIGNED} limit 1`,
    [client_id],
  )
  // Only if there are checkpoints, because the first request creates a key.
  const keys = newest ? [...(await noteKeys(ctx.keys, client.client)).values()] : []
  const wrong = new WrongEntries(scope, client)
  const tree = await GrowingTree.read(sha256, async () => [], 0)
  for (let from = 0; newest && from < newest.size; from += BATCH) {
    signal?.throwIfAborted()
    const to = Math.min(from + BATCH, newest.size)
    const heads = await session.rows<StoredHead>(`${HEADS} and size > $2 and size <= $3`, [
      client_id,
      from,
      to,
    ])
    const due = new Map(heads.map((head) => [head.size, head]))
    const entries = await readSealed(scope.session, { client_id, from, to })
    await wrong.look(entries)
    const nodes: TreeNode[] = []
    for (const entry of entries) {
      if (entry.position !== tree.size)
        return found(`entry ${tree.size}`, `is missing: ${entry.position} follows`)
      nodes.push(...tree.append(leafHash(sha256, utf8(getLeaf(entry)))))
      const head = due.get(tree.size)
      if (!head) continue
      const fault = getFault(head, head.size > (oldSize?.size ?? 0) ? keys : undefined, tree.root(), client)
      if (fault !== undefined) found(`checkpoint ${head.size}`, fault)
    }
    for (const detail of await compareNodes(scope, client, nodes)) found('the tree', detail)
    if (tree.size < to) return found(`entry ${tree.size}`, `is missing: the log has ${newest.size} entries`)
  }
  await findUnsealed(scope, client, newest, tree.size)
  await compareHeld(scope, client, dataDir)
}

/** What is wrong with a checkpoint; without keys its signature is not verified. */
function getFault(
  { size, checkpoint }: StoredHead,
  keys: readonly NoteKey[] | undefined,
  root: Uint8Array,
  { client }: Client,
): string | undefined {
  const stated = keys ? openCheckpoint(checkpoint, keys) : parseCheckpoint(checkpoint)
  if (!stated) return 'is not signed by a key of this installation'
  if (stated.size !== size || stated.origin !== getOrigin(client)) return 'states another log or size'
  return equal(stated.root, root) ? undefined : 'has another root than its entries'
}

/** Entries that differ from their rows. A row that retention removes meanwhile is read again before it counts. */
class WrongEntries {
  readonly #scope: Scope
  readonly #client: Client

  constructor(scope: Scope, client: Client) {
    this.#scope = scope
    this.#client = client
  }

  async look(entries: readonly SealedEntry[]): Promise<void> {
    const suspects = await this.#compare(entries)
    if (suspects.length === 0) return
    const again: SealedEntry[] = []
    for (const { entry } of suspects) {
      const range = { client_id: this.#client.client_id, from: entry.position, to: entry.position + 1 }
      again.push(...(await readSealed(this.#scope.session, range)))
    }
    const found = await this.#compare(again)
    this.#scope.findings.add(
      'sealed_log_wrong',
      this.#client.client,
      found.map(({ entry, detail }) => ({
        subject: `entry ${entry.position}`,
        detail: `${getName(entry)} ${detail}`,
      })),
    )
  }

  async #compare(entries: readonly SealedEntry[]): Promise<{ entry: SealedEntry; detail: string }[]> {
    const { client_id } = this.#client
    const fields = await readFields(this.#scope.session, client_id, entries)
    const found: { entry: SealedEntry; detail: string }[] = []
    for (const entry of entries) {
      const { salt, digest } = entry
      const now = fields.get(getName(entry))
      const detail =
        now === undefined
          ? (await this.#mayBeGone(entry))
            ? undefined
            : 'was removed, or has another time'
          : salt === null
            ? 'has lost its salt'
            : equal(getDigest(sha256, salt, sealedFields(now)), digest)
              ? undefined
              : 'was changed'
      if (detail !== undefined) found.push({ entry, detail })
    }
    return found
  }

  readonly #gone = new Map<string, number>()

  /** Whether retention may have removed it, with its salt. */
  async #mayBeGone({ source, at, salt }: SealedEntry): Promise<boolean> {
    const retention = SEALED_SOURCES.find(({ table }) => table === source)?.retention
    if (!retention || salt !== null) return false
    let until = this.#gone.get(source)
    if (until === undefined || at > until) {
      // Retention may have run since.
      const [row] = await this.#scope.session.rows<{ until: number }>(goneUntil(retention), [
        this.#client.client_id,
      ])
      until = row?.until ?? 0
      this.#gone.set(source, until)
    }
    return at <= until
  }
}

/** Stored nodes that differ from the computed ones. */
async function compareNodes(
  { session }: Scope,
  { client_id }: Client,
  nodes: readonly TreeNode[],
): Promise<string[]> {
  const wrong: string[] = []
  for (const { level, index, hash } of nodes) {
    const [row] = await session.rows<{ hash: Buffer }>(
      'select hash from sealed_nodes where client_id = $1 and level = $2 and index = $3',
      [client_id, level, index],
    )
    if (!row || !equal(row.hash, hash))
      wrong.push(`node ${index} of level ${level} is not that of its entries`)
  }
  return wrong
}

/** Entries that should have a position, and positions behind the newest checkpoint. */
async function findUnsealed(
  { session, findings }: Scope,
  { client_id, client }: Client,
  newest: StoredHead | undefined,
  size: number,
): Promise<void> {
  const [extra] = await session.rows<{ count: number }>(
    `select count(*)::int as count from sealed_entries e where client_id = $1 and ${isWithin('$2')}
       and not exists (select from sealed_checkpoints c where c.client_id = $1 and c.size > e.position)`,
    [client_id, size],
  )
  if (extra && extra.count > 0)
    findings.add('sealed_log_wrong', client, [
      { subject: `entry ${size}`, detail: `${extra.count} behind the newest checkpoint` },
    ])
  if (!newest) return
  const rows = await session.rows<{ subject: string; total: number }>(
    `select subject, (count(*) over ())::int as total from (${UNSEALED_BEFORE}) x limit ${KEPT}`,
    [client_id, newest.until_xid],
  )
  findings.add(
    'sealed_log_wrong',
    client,
    rows.map(({ subject }) => ({ subject, detail: 'was inserted, or lost its position' })),
    rows[0]?.total,
  )
}

const FAULTS = {
  not_ours: 'is not a checkpoint that this installation signed for the account',
  cut_off: 'covers more entries than the log has: it was cut off',
  changed: 'covers entries that are not those of the log: it was changed or forked',
  faulty: 'found faults',
} as const satisfies Record<Contradiction['fault'], string>

/** Whether the log continues the checkpoints that the data folder and others hold. */
async function compareHeld(scope: Scope, account: Client, dataDir: string): Promise<void> {
  const { client } = account
  const held = await readHeld(dataDir, client)
  const q = scope.session
  const holders = held !== undefined || (await readHolders(q)).length > 0
  if (!holders) return
  const keys = [...(await noteKeys(scope.ctx.keys, client)).values()]
  const found = await findContradictions(q, { keys, held, client })
  scope.findings.add(
    'sealed_log_wrong',
    client,
    found.map(({ holder, size, fault }) => ({
      subject: `checkpoint of the ${holder}`,
      detail: `${FAULTS[fault]} (${size} entries)`,
    })),
  )
}
