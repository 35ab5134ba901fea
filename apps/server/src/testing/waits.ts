import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'

/** Seconds that something which is sure to come may take; the machine may be busy with other tests. */
const PATIENCE = 60

/**
 * Polls `look` until `isDone` accepts its result, and resolves to it. After `seconds` it fails with `what` and the
 * last result.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isDone: (found: T) => boolean = Boolean,
  { seconds = PATIENCE, everyMs = 50 } = {},
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const found = await look()
    if (isDone(found)) return found
    if (performance.now() - started > seconds * 1000)
      assert.fail(`waited ${seconds} s for ${what}; found last: ${JSON.stringify(found)}`)
    await pause(everyMs)
  }
}

/** Resolves when so many statements of the test's database wait for a lock. */
export const untilBlocked = (
  sql: (statement: string) => Promise<unknown[]>,
  count: number,
): Promise<number> =>
  until(
    `${count} statements that wait for a lock`,
    async () =>
      (
        await sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
      ).length,
    (found) => found === count,
  )

/** Resolves when a connection has closed, also when a reset ended it; `once` would reject. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.on('error', () => undefined).once('close', () => resolve()))

/** SQL that has the workers of queue `$1` look for jobs now instead of at their next poll. */
export const NOTIFY_WORKER = `pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), $1)`

/** Runs a repeating job now and waits until it is completed. `connection` is that of the database of a running server. */
export async function runJobNow(connection: string, name: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    // Without a notification the worker would find the job by its next poll, up to three seconds later.
    const { rows } = await client.query<{ id: string }>(
      `insert into pgboss.job (name, data) values ($1, $2) returning id, ${NOTIFY_WORKER}`,
      [name, {}],
    )
    await until(
      `the job ${name}`,
      async () => {
        const found = await client.query<{ state: string }>('select state from pgboss.job where id = $1', [
          rows[0]?.id,
        ])
        return found.rows[0]?.state
      },
      (state) => state === 'completed',
      { seconds: 90, everyMs: 250 },
    )
  } finally {
    await client.end()
  }
}

/** A response whose reader stops after the first piece, like a player with a full buffer. */
interface SlowReader {
  /** Resolves once the server has closed the connection; fails if it does not. */
  closed(): Promise<void>
  /** Reads on to the end: whether the answer came whole or the connection was cut, and how many bytes arrived. */
  finish(): Promise<{ is_whole: boolean; bytes: number }>
}

/** Diagnostics channel of each connection to a server of this process. */
const CONNECTIONS = 'net.server.socket'

/**
 * Requests an address of a server of this process and reads the first piece only. Rejects unless the answer is 200.
 */
export function readSlowly(address: string, headers: Record<string, string>): Promise<SlowReader> {
  // A paused reader does not notice the end, so the server's side of the connection is observed.
  const sockets: Socket[] = []
  const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe(CONNECTIONS, keep)
  return new Promise<SlowReader>((resolve, reject) => {
    get(address, { headers, agent: false }, (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
      const { localPort } = answer.socket
      const served = sockets.find(({ remotePort }) => remotePort === localPort)
      let bytes = 0
      const ended = new Promise<boolean>((done) => {
        answer.once('end', () => done(true)).once('error', () => done(false))
      })
      answer.on('data', (piece: Buffer) => void (bytes += piece.length))
      answer.once('data', () => {
        answer.pause()
        resolve({
          async closed() {
            await until('the end of the connection', () => served?.destroyed === true)
          },
          async finish() {
            answer.resume()
            return { is_whole: await ended, bytes }
          },
        })
      })
    }).on('error', reject)
  }).finally(() => unsubscribe(CONNECTIONS, keep))
}

const { OK, EOF, NO_SUCH_FILE, OP_UNSUPPORTED } = ssh2.utils.sftp.STATUS_CODE

export interface SlowSftp {
  port: number
  /** As ssh-keygen shows it. */
  host_key: string
  /** Requests that were answered or wait for their answer. */
  asked(): number
  files: ReadonlyMap<string, Buffer>
  stop(): Promise<void>
}

/** An SFTP server in this process that takes every password, keeps files in memory and answers each request after so many milliseconds. */
export async function startSlowSftp(delay: number): Promise<SlowSftp> {
  // Not Ed25519: the library cuts a zero byte at the start of such a key, and cannot read one in 256 of its own.
  const key = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
  const parsed = ssh2.utils.parseKey(key.public)
  if (parsed instanceof Error) throw parsed
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64')
  const files = new Map<string, Buffer>()
  const clients = new Set<Connection>()
  let asked = 0
  const server = new ssh2.Server({ hostKeys: [key.private] }, (client) => {
    clients.add(client)
    client.on('error', () => undefined)
    client.on('close', () => clients.delete(client))
    client.on('authentication', (context) => context.accept())
    client.on('session', (accept) =>
      accept().on('sftp', (acceptSftp) =>
        serve(acceptSftp(), files, (answer) => {
          asked++
          setTimeout(answer, delay).unref()
        }),
      ),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    host_key: `SHA256:${digest.replace(/=+$/, '')}`,
    asked: () => asked,
    files,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const client of clients) client.end()
      await closed
    },
  }
}

function serve(sftp: SFTPWrapper, files: Map<string, Buffer>, later: (answer: () => void) => void): void {
  const names: string[] = []
  const getName = (handle: Buffer) => names[handle.readUInt32BE()] ?? ''
  const done = (id: number) => later(() => sftp.status(id, OK))
  const move = (id: number, from: string, to: string) =>
    later(() => {
      files.set(to, files.get(from) ?? Buffer.alloc(0))
      files.delete(from)
      sftp.status(id, OK)
    })
  sftp.on('OPEN', (id, name) =>
    later(() => {
      const handle = Buffer.alloc(4)
      handle.writeUInt32BE(names.push(name) - 1)
      files.set(name, Buffer.alloc(0))
      sftp.handle(id, handle)
    }),
  )
  sftp.on('WRITE', (id, handle, offset, data) => {
    const piece = Buffer.from(data)
    later(() => {
      const before = files.get(getName(handle)) ?? Buffer.alloc(0)
      const after = Buffer.alloc(Math.max(before.length, offset + piece.length))
      before.copy(after)
      piece.copy(after, offset)
      files.set(getName(handle), after)
      sftp.status(id, OK)
    })
  })
  sftp.on('READ', (id, handle, offset, length) =>
    later(() => {
      const piece = files.get(getName(handle))?.subarray(offset, offset + length)
      if (piece && piece.length > 0) sftp.data(id, piece)
      else sftp.status(id, EOF)
    }),
  )
  sftp.on('RENAME', move)
  sftp.on('REMOVE', (id, name) => later(() => sftp.status(id, files.delete(name) ? OK : NO_SUCH_FILE)))
  sftp.on('STAT', (id) => later(() => sftp.status(id, NO_SUCH_FILE)))
  sftp.on('EXTENDED', (id) => later(() => sftp.status(id, OP_UNSUPPORTED)))
  sftp.on('CLOSE', done)
  sftp.on('MKDIR', done)
}
