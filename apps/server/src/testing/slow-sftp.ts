import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'

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
  const key = ssh2.utils.generateKeyPairSync('ed25519')
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
  const nameOf = (handle: Buffer) => names[handle.readUInt32BE()] ?? ''
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
      const before = files.get(nameOf(handle)) ?? Buffer.alloc(0)
      const after = Buffer.alloc(Math.max(before.length, offset + piece.length))
      before.copy(after)
      piece.copy(after, offset)
      files.set(nameOf(handle), after)
      sftp.status(id, OK)
    })
  })
  sftp.on('READ', (id, handle, offset, length) =>
    later(() => {
      const piece = files.get(nameOf(handle))?.subarray(offset, offset + length)
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
