import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { type CertificateLine, replayCertificate } from './certificates/certificate-store.ts'
import { type OutsideLine, readMarks, type ReplayCounts, replayLines, setMark } from './outside-store.ts'

/** Maximum lines and characters per batch: a certificate may list a thousand payloads. */
const BATCH = 200
const BATCH_LENGTH = 8_000_000

export interface Replay extends ReplayCounts {
  /** Time of the newest destruction read, in epoch seconds; null: none. */
  newest: number | null
}

/**
 * Replays the ledger into a database restored from a backup: destroys its payloads and restores certificates. Runs
 * before the start and every minute for those that still have keys or are busy.
 */
export async function replayLedger({
  db,
  keys,
  log,
}: Pick<AppContext, 'db' | 'keys'> & { log: Pick<AppContext['log'], 'warn'> }): Promise<Replay> {
  const sizes = await keys.ledger.sizes()
  const marks = await db.global(readMarks)
  const behind = [...sizes].filter(([file, bytes]) => (marks.get(file)?.bytes ?? 0) < bytes)
  const all: Replay = { destroyed: 0, waiting: 0, kept: 0, unknown: 0, newest: null }
  if (behind.length === 0) return all
  const clients = new Map((await listClients(db)).map(({ client, client_id }) => [client, client_id]))
  for (const [file] of behind) {
    let lines: (OutsideLine | CertificateLine)[] = []
    let length = 0
    let mark: Mark = marks.get(file) ?? keys.ledger.start(file)
    let isSettled = true
    const settle = async () => {
      for (const [client, stated] of Map.groupBy(lines, (line) => line.client)) {
        const client_id = clients.get(client)
        // A client newer than the backup has no data here.
        if (client_id === undefined) continue
        const certificates = stated.filter(isCertificate)
        const byReference = new Map(
          stated.flatMap((line) => (isCertificate(line) ? [] : [[line.payload_reference, line] as const])),
        )
        const done = await db.write(client_id, async (tx) => {
          for (const line of certificates) await replayCertificate(tx, line, file)
          return replayLines(tx, keys, byReference, file)
        })
        for (const what of ['destroyed', 'waiting', 'kept', 'unknown'] as const) all[what] += done[what]
        for (const { destroyed_at } of byReference.values())
          all.newest = Math.max(all.newest ?? 0, destroyed_at)
        isSettled &&= done.waiting === 0 && done.kept === 0
      }
      lines = []
      length = 0
      // The mark stays before waiting lines, so that they are read again.
      const to = mark
      if (isSettled) await db.globalWrite((tx) => setMark(tx, to))
    }
    for await (const line of keys.ledger.read(mark)) {
      lines.push(JSON.parse(line.json) as OutsideLine | CertificateLine)
      length += line.json.length
      mark = line.mark
      if (lines.length === BATCH || length > BATCH_LENGTH) await settle()
    }
    await settle()
  }
  const { destroyed } = all
  if (destroyed > 0) log.warn({ destroyed }, 'destroyed payloads again that the ledger in the keystore lists')
  return all
}

/**
 * Throws when ledger files are missing or shorter than the database knows: an older keystore copy may contain wiped
 * keys. Runs before the start.
 */
export async function assertLedgerThere({ db, keys }: Pick<AppContext, 'db' | 'keys'>): Promise<void> {
  // Reads the marks before the sizes: files only grow.
  const marks = await db.global(readMarks)
  const sizes = await keys.ledger.sizes()
  const lost = [...marks.values()].filter(({ file, bytes }) => (sizes.get(file) ?? 0) < bytes)
  if (lost.length === 0) return
  const names = lost.map(({ file }) => `${file}.ledger`).join(', ')
  throw new Error(
    `the destruction ledger in the keystore is shorter than this database knows (${names}): the keys folder is an older copy, or not whole. ` +
      'Put the newest copy of it in place; see docs/destruction.md, "The destruction ledger"',
  )
}

const isCertificate = (line: OutsideLine | CertificateLine): line is CertificateLine =>
  'certificate_reference' in line
