import { join } from 'node:path'
import pg from 'pg'
import { formatLsn, parseLsn, SEGMENT, WalFolder } from './wal-files.ts'

/** Name of the stream, of its slot, and of the standby that commits wait for. */
export const ARCHIVE_NAME = 'custodia_archive'

/** Settings of a server whose commits wait until their log lies in the archive as well. */
export const ARCHIVE_SETTINGS = { synchronous_standby_names: ARCHIVE_NAME, wal_keep_size: '64MB' }

/** SQLSTATE of a server that does not have the log any more which is asked for. */
const REMOVED = '58P01'
/** Folder of an archive with the log of databases that were replaced by a restore, by the time at which that was seen. */
const REPLACED = 'replaced'
const LONGEST_PAUSE = 5_000
/** Bytes that may wait for the disk before the server is asked to wait. */
const MOST_PENDING = 64 << 20
/** Milliseconds between answers to a server that has nothing to send; it gives a silent receiver up after a minute. */
const STATUS_EVERY = 10_000
/** PostgreSQL counts microseconds from 2000 on. */
const EPOCH_2000 = 946_684_800_000

export interface WalArchive {
  /** Ends the stream; what came is on disk. */
  close(): Promise<void>
}

export interface WalArchiveOptions {
  /** Connection string of a user that may replicate. */
  connection: string
  /** Folder on another disk than the database's; the log lies below it in a folder named after the cluster. */
  folder: string
  /** Told of each failure; the stream is then begun anew. */
  report: (error: unknown) => void
  /** Told when the archive goes on after a hole, which only a new backup makes good. */
  onHole?: () => void
}

/**
 * Keeps a second copy of the write-ahead log, up to the last commit: streams it from the server as `pg_receivewal --synchronous` does,
 * and confirms a position only when it is on disk. With `ARCHIVE_SETTINGS` a commit waits for that. A slot keeps the
 * server from removing what has not come yet.
 */
export function archiveWal({ connection, folder, report, onHole }: WalArchiveOptions): WalArchive {
  const stopping = new AbortController()
  const done = (async () => {
    let hasHole = false
    for (let pause = 100; !stopping.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const failure: unknown = await stream({ connection, folder, hasHole, report }, stopping.signal, () => {
        pause = 100
        if (hasHole) onHole?.()
      }).catch((error: unknown) => error ?? new Error('the stream ended'))
      if (stopping.signal.aborted) return
      hasHole = failure instanceof pg.DatabaseError && failure.code === REMOVED
      if (hasHole) report(new Error('the archive has a hole: make a new backup'))
      report(failure ?? new Error('the server ended the stream of its log'))
      await sleep(pause, stopping.signal)
    }
  })()
  return {
    async close() {
      stopping.abort()
      await done
    },
  }
}

/** Lets a server without archive forget that it ever had one: it would keep its log for ever. */
export async function forgetArchive(connection: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
      [ARCHIVE_NAME],
    )
  } finally {
    await client.end()
  }
}

/** Streams until the server ends it or `signal` does; rejects when something fails. */
async function stream(
  {
    connection,
    folder,
    hasHole,
    report,
  }: Pick<WalArchiveOptions, 'connection' | 'folder' | 'report'> & { hasHole: boolean },
  signal: AbortSignal,
  begun: () => void,
): Promise<void> {
  const config: pg.ClientConfig & { replication: string } = {
    connectionString: connection,
    application_name: ARCHIVE_NAME,
    replication: 'true',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  }
  const client = new pg.Client(config)
  const ended = new Promise<void>((resolve, reject) => {
    client.once('error', reject)
    client.once('end', resolve)
  })
  ended.catch(() => undefined)
  await client.connect()
  const stop = () => void client.end().catch(() => undefined)
  try {
    const { rows } = await client.query<{ systemid: string; timeline: number; xlogpos: string }>(
      'IDENTIFY_SYSTEM',
    )
    const { systemid = '', timeline = 1, xlogpos = '0/0' } = rows[0] ?? {}
    const wal = new WalFolder(join(folder, systemid))
    if (Number(timeline) > 1) {
      const aside = join(folder, REPLACED, new Date().toISOString().replaceAll(':', '-'), systemid)
      if (await wal.keepHistory(Number(timeline), await historyOf(client, Number(timeline)), aside))
        report(new Error(`the archive had log of a database that this one replaces: it is in ${aside}`))
    }
    const kept = await makeSlot(client, xlogpos)
    const from = (hasHole ? undefined : await wal.end(Number(timeline))) ?? kept
    if (from > parseLsn(xlogpos))
      throw new Error(
        `the archive has log up to ${formatLsn(from)}, and this database ends at ${xlogpos}: it is an older copy. Restore it with that log`,
      )
    const receiver = new Receiver(client, wal, Number(timeline), from)
    const text = `START_REPLICATION SLOT ${ARCHIVE_NAME} PHYSICAL ${formatLsn(from)} TIMELINE ${timeline}`
    const streamed = client.query(text).then(() => undefined)
    begun()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      await Promise.race([streamed, ended, receiver.failed])
    } finally {
      await receiver.close()
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await client.end().catch(() => undefined)
  }
}

/** Which timeline followed which: without it a restore would not find from one to the next. */
async function historyOf(client: pg.Client, timeline: number): Promise<string> {
  const { rows } = await client.query<{ content: string }>(`TIMELINE_HISTORY ${timeline}`)
  return rows[0]?.content.toString() ?? ''
}

/** Makes the slot unless it is there; resolves to the begin of the segment from which the server keeps its log. */
async function makeSlot(client: pg.Client, xlogpos: string): Promise<bigint> {
  await client
    .query(`CREATE_REPLICATION_SLOT ${ARCHIVE_NAME} PHYSICAL RESERVE_WAL`)
    .catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && error.code === '42710')) throw error
    })
  const { rows } = await client.query<{ restart_lsn: string | null }>(`READ_REPLICATION_SLOT ${ARCHIVE_NAME}`)
  const lsn = parseLsn(rows[0]?.restart_lsn ?? xlogpos)
  return lsn - (lsn % SEGMENT)
}

/** pg's own event for each piece of a stream; its types leave it out. */
interface CopyStream {
  on(event: 'copyData', handler: (message: { chunk: Buffer }) => void): void
  sendCopyFromChunk(chunk: Buffer): void
  stream: { pause(): void; resume(): void }
}

/** Writes what the server sends, in order, and tells it how far it got. */
class Receiver {
  readonly failed: Promise<never>
  readonly #connection: CopyStream
  readonly #wal: WalFolder
  readonly #timeline: number
  readonly #timer: NodeJS.Timeout
  #pending: Buffer[] = []
  #pendingBytes = 0
  #received: bigint
  #flushed: bigint
  #writing: Promise<void> | undefined
  #fail: (error: unknown) => void = () => undefined

  constructor(client: pg.Client, wal: WalFolder, timeline: number, from: bigint) {
    this.#connection = (client as unknown as { connection: CopyStream }).connection
    this.#wal = wal
    this.#timeline = timeline
    this.#received = this.#flushed = from
    this.failed = new Promise((_, reject) => (this.#fail = reject))
    this.failed.catch(() => undefined)
    this.#connection.on('copyData', ({ chunk }) => this.#take(chunk))
    this.#timer = setInterval(() => this.#confirm(), STATUS_EVERY).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing?.catch(() => undefined)
    await this.#wal.close()
  }

  #take(message: Buffer): void {
    // 'k': alive, and wants an answer when its last byte says so. 'w': log, behind three numbers of 8 bytes.
    if (message[0] === 0x6b && message[17] === 1) this.#confirm()
    if (message[0] !== 0x77) return
    const data = Buffer.from(message.subarray(25))
    if (message.readBigUInt64BE(1) !== this.#received)
      return this.#fail(new Error('the stream of the log has a hole'))
    this.#received += BigInt(data.length)
    this.#pending.push(data)
    this.#pendingBytes += data.length
    if (this.#pendingBytes > MOST_PENDING) this.#connection.stream.pause()
    this.#writing ??= this.#write()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#writing = undefined))
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const data = Buffer.concat(this.#pending.splice(0))
      this.#pendingBytes = 0
      this.#connection.stream.resume()
      await this.#wal.append(this.#timeline, this.#flushed, data)
      this.#flushed += BigInt(data.length)
      this.#confirm()
    }
  }

  #confirm(): void {
    const status = Buffer.alloc(34)
    status.write('r')
    status.writeBigUInt64BE(this.#received, 1)
    status.writeBigUInt64BE(this.#flushed, 9)
    status.writeBigInt64BE(BigInt(Date.now() - EPOCH_2000) * 1000n, 25)
    this.#connection.sendCopyFromChunk(status)
  }
}

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
