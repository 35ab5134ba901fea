import { listClients } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { type CertificateLine, replayCertificate } from './certificates/certificate-store.ts'
import { type OutsideLine, readMarks, type Replayed, replayLines, setMark } from './outside-store.ts'

/** Lines that are looked at in one go, and their characters: a certificate may have a thousand payloads. */
const BATCH = 200
const BATCH_LENGTH = 8_000_000

/** What came of a replay. */
export interface Replay extends Replayed {
  /** When the newest destruction was that was read, in epoch seconds; null: none was. */
  newest: number | null
}

/**
 * Destroys once more what the ledger beside the keys says is destroyed and this database does not know: it was restored from before. The certificates
 * that it has come back as they were, as do those of a process that was killed before it kept them. Before anything
 * is served, and each minute for what was not at rest then, or was held. Where the database has all of every file, that is one look.
 */
export async function replayLedger({
  db,
  keys,
  log,
}: Pick<AppContext, 'db' | 'keys'> & { log: Pick<AppContext['log'], 'warn'> }): Promise<Replay> {
  const sizes = await keys.ledger.sizes()
  const marks = await db.global(readMarks)
  const behind = [...sizes].filter(([file, bytes]) => (marks.get(file)?.bytes ?? 0) < bytes)
  const all: Replay = { destroyed: 0, waiting: 0, held: 0, unknown: 0, newest: null }
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
        // A client that is newer than what was restored has nothing here.
        if (client_id === undefined) continue
        const certificates = stated.filter(isCertificate)
        const byReference = new Map(
          stated.flatMap((line) => (isCertificate(line) ? [] : [[line.payload_reference, line] as const])),
        )
        const done = await db.write(client_id, async (tx) => {
          for (const line of certificates) await replayCertificate(tx, line, file)
          return replayLines(tx, keys, byReference, file)
        })
        for (const what of ['destroyed', 'waiting', 'held', 'unknown'] as const) all[what] += done[what]
        for (const { destroyed_at } of byReference.values())
          all.newest = Math.max(all.newest ?? 0, destroyed_at)
        isSettled &&= done.waiting === 0 && done.held === 0
      }
      lines = []
      length = 0
      // What waits is met again.
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
  const { destroyed, held } = all
  if (destroyed > 0)
    log.warn({ destroyed }, 'destroyed once more what the ledger beside the keys says is destroyed')
  if (held > 0)
    log.warn(
      { held },
      'a legal hold, or a person who restored it, keeps what the ledger beside the keys says is destroyed',
    )
  return all
}

/**
 * Throws where files of the ledger are not there, or are shorter than this database knows them: who lost them may have put an older keystore in
 * place, in which keys are that were wiped. Before anything is served.
 */
export async function assertLedgerThere({ db, keys }: Pick<AppContext, 'db' | 'keys'>): Promise<void> {
  // Before their sizes: files only grow, and the database notes what they have.
  const marks = await db.global(readMarks)
  const sizes = await keys.ledger.sizes()
  const lost = [...marks.values()].filter(({ file, bytes }) => (sizes.get(file) ?? 0) < bytes)
  if (lost.length === 0) return
  const names = lost.map(({ file }) => `${file}.ledger`).join(', ')
  throw new Error(
    `the ledger of destructions beside the keys lacks what this database knows of it (${names}): the keys folder is an older copy, or not whole. ` +
      'Put the newest copy of it in place; see docs/destruction.md, "The destruction ledger"',
  )
}

const isCertificate = (line: OutsideLine | CertificateLine): line is CertificateLine =>
  'certificate_reference' in line
