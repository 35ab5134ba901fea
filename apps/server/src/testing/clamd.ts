import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'

/** The harmless test virus of eicar.org, in two halves so that no scanner takes this file for one. */
export const eicar = Buffer.from(
  String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-` + 'ANTIVIRUS-TEST-FILE!$H+H*',
  'latin1',
)

export function clamdAvailable(): boolean {
  return findProgram('clamd') !== undefined
}

export type Clamd = { host: string; port: number; path: string; stop(): Promise<void> }

/**
 * A real clamd on loopback and on a Unix socket that knows the EICAR file and nothing else, with streams of up to `limit` bytes
 * (64 MiB). The official signatures are not needed, so it starts within a second.
 */
export async function startClamd({ limit = 64 << 20 } = {}): Promise<Clamd> {
  const program = findProgram('clamd')
  if (!program) throw new Error('clamd is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'custodia-clamd-'))
  const [host, port, path] = ['127.0.0.1', await reservePort(), join(folder, 'clamd.sock')]
  await writeSignatures(join(folder, 'db'))
  const conf = join(folder, 'clamd.conf')
  await writeFile(conf, clamdConf({ folder, port, path, limit }))
  const daemon = startDaemon(program, ['-c', conf])
  const stop = async () => {
    await daemon.stop()
    await removeFolder(folder)
  }
  try {
    await untilReady(daemon, 'clamd', () => connects(host, port))
  } catch (error) {
    await stop()
    throw error
  }
  return { host, port, path, stop }
}

async function writeSignatures(folder: string): Promise<void> {
  await mkdir(folder)
  const md5 = createHash('md5').update(eicar).digest('hex')
  await writeFile(join(folder, 'test.ndb'), `Test.Eicar.Body:0:*:${eicar.toString('hex')}\n`)
  await writeFile(join(folder, 'test.hdb'), `${md5}:${eicar.length}:Test.Eicar.File\n`)
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

function clamdConf(at: { folder: string; port: number; path: string; limit: number }): string {
  const user = process.getuid?.() === 0 ? 'User root\n' : ''
  return `${user}DatabaseDirectory ${at.folder}/db
TemporaryDirectory ${at.folder}
TCPSocket ${at.port}
TCPAddr 127.0.0.1
LocalSocket ${at.path}
LogFile ${at.folder}/clamd.log
Foreground yes
MaxThreads 4
StreamMaxLength ${at.limit}
MaxScanSize ${at.limit}
MaxFileSize ${at.limit}
MaxScanTime 60000
AlertExceedsMax yes
AlertEncryptedArchive yes
CommandReadTimeout 30
`
}
