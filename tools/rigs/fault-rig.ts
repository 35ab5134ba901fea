import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { memoryStore, openPhone, type Phone } from '@custodia/device-sdk'
import { carriedPhone, type DemoAccount, demoAccounts, smallRecording } from '@custodia/simulator'
import { originalKey } from '../../apps/server/src/payloads/original-key.ts'
import { objectPath } from '../../apps/server/src/ports/objects/filesystem-layout.ts'
import { openIndex } from '../../apps/server/src/ports/objects/pack-index.ts'
import { contentOffset, packsFolder, segmentPath } from '../../apps/server/src/ports/objects/pack-record.ts'
import { PACKED_UP_TO } from '../../apps/server/src/ports/objects/packs.ts'
import { findProgram } from '../../apps/server/src/testing/daemon.ts'
import { emptyDatabase } from '../../apps/server/src/testing/database.ts'
import { FAST_DATABASE } from '../../apps/server/src/testing/test-context.ts'
import { serverProcess, type ServerProcess } from './server-process.ts'

const run = promisify(execFile)
const MEGABYTES = 96

/** The state after a power cut. */
interface Remains {
  folder: string
  remove(): Promise<void>
}

/** A file system in a file that writes back every ten minutes only: the file lacks unsynced data. */
interface DiskImage {
  /** Mount point. */
  folder: string
  /** Copies the file of the mounted, idle file system, and mounts the copy like a machine after a restart. */
  cutPower(): Promise<Remains>
  remove(): Promise<void>
}

/** Creates an ext4 file system in `top`, mounted at `folder`. Throws without the right to mount. */
async function diskImage(top: string, folder: string): Promise<DiskImage> {
  const image = join(top, 'disk.ext4')
  const file = await open(image, 'wx', 0o600)
  await file.truncate(MEGABYTES << 20)
  await file.close()
  await run(findProgram('mkfs.ext4') ?? 'mkfs.ext4', ['-q', image])
  await mkdir(folder, { recursive: true })
  await mount(image, folder)
  let cuts = 0
  return {
    folder,
    async cutPower() {
      const copy = join(top, `cut-${++cuts}`)
      await copyFile(image, `${copy}.ext4`, constants.COPYFILE_FICLONE)
      await mkdir(copy)
      await mount(`${copy}.ext4`, copy)
      return {
        folder: copy,
        async remove() {
          await run('umount', [copy])
          await rm(`${copy}.ext4`)
          await rm(copy, { recursive: true })
        },
      }
    },
    async remove() {
      await run('umount', [folder])
      await rm(image)
    },
  }
}

/** Why this process cannot create such a file system, or false when it can. */
export async function reasonWithoutDiskImage(): Promise<string | false> {
  if (process.platform !== 'linux') return 'power is cut on Linux only'
  const top = await mkdtemp(join(tmpdir(), 'custodia-mount-'))
  try {
    await (await diskImage(top, join(top, 'mounted'))).remove()
    return false
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.trim()}`
  } finally {
    await rm(top, { recursive: true, force: true })
  }
}

const mount = (image: string, folder: string) =>
  run('mount', ['-t', 'ext4', '-o', 'loop,commit=600,noatime', image, folder])

/** Servers that store uploads on a separate file system, which can lose its power. */
export interface Rig {
  servers: ServerProcess[]
  disk: DiskImage
  /** A device with an empty queue that sends each payload once; `put` may wrap each upload. */
  phone(server: ServerProcess, put?: Around): Promise<SendingPhone>
  /** Problem of an upload's object; undefined when the announced bytes exist. */
  whatIsWrong(stated: AnnouncedPayload): Promise<string | undefined>
  /** As above, after a power cut. */
  lostByPowerCut(stated: AnnouncedPayload): Promise<string | undefined>
  close(): Promise<void>
}

/** `upload` sends the same bytes on each call, to the announced server or another one. */
export type Around = (upload: (to?: ServerProcess) => Promise<Response>) => Promise<Response>

/** An announced payload. */
export interface AnnouncedPayload {
  client: string
  payload_reference: string
  checksum: string
}

export type RecordedSize = 'packed' | 'file'

export interface SendingPhone {
  /** Seals a small recording, which the server packs, or one that becomes a file. */
  record(size: RecordedSize): Promise<AnnouncedPayload>
  /** Announces and uploads the queue once. True when the server has acknowledged this payload. */
  send(stated: AnnouncedPayload): Promise<boolean>
}

/** Starts `count` API processes of `main` over one data folder, with objects on the disk image. */
export async function startRig(count: number, main?: string): Promise<Rig> {
  const top = await mkdtemp(join(tmpdir(), 'custodia-faults-'))
  await chmod(top, 0o711)
  const dataDir = join(top, 'data')
  const database = await emptyDatabase()
  const disk = await diskImage(top, join(dataDir, 'objects'))
  // One file thread, because strace counts its calls. No worker: only the upload affects the device. The disk is
  // small.
  const env = {
    DEMO: 'true',
    DATABASE_URL: database.connection,
    UV_THREADPOOL_SIZE: '1',
    DISK_RESERVE_MB: '1',
    ...FAST_DATABASE,
  }
  const program = { ...(main ? { main } : {}), args: ['--services=api'] }
  const servers = await Promise.all(Array.from({ length: count }, () => serverProcess(env, dataDir, program)))
  const close = async () => {
    for (const server of servers) await server.kill({ database: false })
    await database.drop()
    await disk.remove()
    await rm(top, { recursive: true, force: true })
  }
  try {
    for (const server of servers) await server.start()
    const accounts = await demoAccounts(dataDir)
    let spare = 0
    return {
      servers,
      disk,
      phone: (server, put) => sendingPhone(server.url, accounts, spare++, put),
      whatIsWrong: (stated) => whatIsWrong(disk.folder, stated),
      async lostByPowerCut(stated) {
        const remains = await disk.cutPower()
        try {
          return await whatIsWrong(remains.folder, stated)
        } finally {
          await remains.remove()
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Undefined when the announced bytes exist. */
export async function whatIsWrong(root: string, stated: AnnouncedPayload): Promise<string | undefined> {
  const key = originalKey(stated.client, stated.payload_reference, 0)
  const bytes = await storedBytes(root, key).catch(() => undefined)
  if (!bytes) return 'the object is gone'
  const digest = createHash('sha256').update(bytes).digest('hex')
  return digest === stated.checksum ? undefined : `${bytes.length} other bytes`
}

/** Bytes of an object, also in the state after a power cut, as a server that starts would find them. */
async function storedBytes(root: string, key: string): Promise<Buffer> {
  const folder = packsFolder(root)
  const index = openIndex(folder)
  const place = index.find(key)
  // An open file would keep the file system mounted.
  index.close()
  if (!place) return readFile(objectPath(root, key))
  const at = place.at + contentOffset(key)
  return (await readFile(segmentPath(folder, place.segment))).subarray(at, at + place.size)
}

async function sendingPhone(
  server_url: string,
  accounts: readonly DemoAccount[],
  spare: number,
  around: Around = (upload) => upload(),
): Promise<SendingPhone> {
  const [account] = accounts
  const person = account?.people[0]
  if (!account || !person) throw new Error('the demo has no accounts')
  const carried = carriedPhone(person, spare)
  const acknowledged = new Set<string>()
  const phone: Phone = await openPhone({
    enrolment: { server_url, ...account },
    identity: carried.identity,
    store: memoryStore(),
    retry: { tries: 1 },
    fetch: (input, init) =>
      init?.method === 'PUT'
        ? around((to) => fetch(String(input).replace(server_url, to?.url ?? server_url), init))
        : fetch(input, init),
    onEvent: ({ type, payload_reference }) => {
      if (type === 'uploaded') acknowledged.add(payload_reference)
    },
  })
  return {
    async record(size) {
      const text = size === 'file' ? 'x'.repeat(PACKED_UP_TO) : undefined
      const recording = smallRecording(carried, Math.floor(Date.now() / 1000), text)
      await phone.record(recording)
      const { payload_reference } = recording.meta
      const entry = phone.queue().find((each) => each.announcement.payload_reference === payload_reference)
      return {
        client: account.account_reference,
        payload_reference,
        checksum: entry?.announcement.checksum ?? '',
      }
    },
    async send({ payload_reference }) {
      // The device reports failures of other payloads as errors; only this payload counts here.
      await phone.sync({ patience: 0 }).catch(() => undefined)
      return acknowledged.has(payload_reference)
    },
  }
}
