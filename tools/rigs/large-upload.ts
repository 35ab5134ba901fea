/**
 * Uploads one large video to the real server and measures the server's memory during upload, processing, playback and export:
 *
 *     node tools/rigs/large-upload.ts [--megabytes 200] [--file video.mp4]
 *
 * Exits with 1 when any phase needs more than 300 MB above idle, or when any byte differs from the recording.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { folderStore, openPhone } from '@custodia/device-sdk'
import { carriedPhone, findDemoPerson, smallRecording } from '@custodia/simulator'
import { type Person, signIn } from '../../apps/server/src/testing/access-fixture.ts'
import { ROOT } from '../../scripts/run.ts'
import { withServer } from './server-process.ts'

const SAMPLE_EVERY_MS = 100

/** Memory of one phase; resident, in bytes. */
interface PhaseMemory {
  name: string
  peak: number
  /** Peak of child processes: ffmpeg. */
  children: number
  milliseconds: number
}

/** Samples the memory of a process and its ffmpeg children (Linux), phase by phase. */
function watchMemory(pid: number) {
  const phases: PhaseMemory[] = []
  let began = Date.now()
  const end = () => {
    const last = phases.at(-1)
    if (last) last.milliseconds = Date.now() - began
  }
  const timer = setInterval(async () => {
    const phase = phases.at(-1)
    const [own, children] = [await getResident(pid), await residentOfChildren(pid)]
    if (!phase) return
    phase.peak = Math.max(phase.peak, own)
    phase.children = Math.max(phase.children, children)
  }, SAMPLE_EVERY_MS)
  return {
    phase(name: string): void {
      end()
      began = Date.now()
      phases.push({ name, peak: 0, children: 0, milliseconds: 0 })
    },
    stop(): PhaseMemory[] {
      end()
      clearInterval(timer)
      return phases
    },
  }
}

async function getResident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

/** Excludes the database, which is a child as well. */
async function residentOfChildren(pid: number): Promise<number> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  let sum = 0
  for (const child of list.split(' ').filter(Boolean)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.startsWith('ff')) sum += await getResident(Number(child))
  }
  return sum
}

const MIB = 2 ** 20
/** Maximum memory above idle, in MB of a million bytes. */
const LIMIT_MB = 300
const SMALL_VIDEO = `${ROOT}tools/simulator/media/formats/h264-aac.mp4`
const SEEKS = 40
/** Milliseconds that the reader of an export pauses: the server must not buffer unread data. */
const STANDSTILL_MS = 3000
/** Bytes at the end of a bag that contain its tag files. */
const TAG_FILES = 8192

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { megabytes: { type: 'string', default: '200' }, file: { type: 'string' } },
  })
  return withServer({ DEMO: 'true' }, async (server, dataDir, folder) => {
    const video = values.file ?? (await makeVideo(join(folder, 'video.mp4'), Number(values.megabytes) * MIB))
    const memory = watchMemory(server.pid())
    const phone = await openPhoneOf(server.url, dataDir, join(folder, 'phone'))
    const alice = await signIn(server.url, 'acme', 'alice')
    // Sends a message first: loaded code belongs to idle memory.
    await phone.send(smallRecording(phone.carried, now()))
    await pause(3000)
    memory.phase('idle')
    await pause(2000)

    memory.phase('sealing on the phone')
    const payload_reference = await phone.record(video)
    memory.phase('upload')
    phone.onUploaded = () => memory.phase('processing')
    await phone.sync()
    memory.phase('random seeks')
    await seek(alice, payload_reference, video)
    memory.phase('whole download')
    await readWhole(alice, payload_reference, video)
    memory.phase('export')
    await readExport(alice, video)
    return report((await stat(video)).size, memory.stop())
  })
}

const now = () => Math.floor(Date.now() / 1000)

/** A playable video, with a `free` box (ISO/IEC 14496-12) of random bytes. */
async function makeVideo(path: string, size: number): Promise<string> {
  await cp(SMALL_VIDEO, path)
  const file = await open(path, 'a')
  try {
    const box = Buffer.alloc(8)
    box.writeUInt32BE(size)
    box.write('free', 4)
    await file.write(box)
    for (let left = size - box.length; left > 0; left -= MIB)
      await file.write(randomBytes(Math.min(left, MIB)))
  } finally {
    await file.close()
  }
  return path
}

async function openPhoneOf(url: string, dataDir: string, folder: string) {
  const { account, person } = await findDemoPerson(dataDir, ({ email }) => email.endsWith('@acme.example'))
  const carried = carriedPhone(person)
  const phone = await openPhone({
    enrolment: { server_url: url, ...account },
    identity: carried.identity,
    store: await folderStore(folder),
    onEvent: ({ type }) => {
      if (type === 'uploaded') self.onUploaded()
    },
  })
  const self = {
    carried,
    onUploaded: (): void => undefined,
    async sync(): Promise<void> {
      const { waiting, refused } = await phone.sync({ patience: 600 })
      if (waiting + refused > 0)
        throw new Error(`the server did not take it: ${JSON.stringify(phone.queue())}`)
    },
    async send(recording: Parameters<typeof phone.record>[0]): Promise<void> {
      await phone.record(recording)
      await self.sync()
    },
    /** Seals the video into the device's queue. */
    async record(path: string): Promise<string> {
      const { payload_reference } = smallRecording(carried, now()).meta
      const meta = { ...carried.common(payload_reference, now() - 60), payload_notes: 'A long video' }
      await phone.record({ payload_type: 'Video', meta, data: () => createReadStream(path) })
      return payload_reference
    },
  }
  return self
}

/** For download: playback may use a rendition with other bytes. */
async function getAddress({ api }: Person, payload_reference: string) {
  const query = { action: 'download' as const }
  const answer = await api.readPayloadData({ params: { payload_reference }, query })
  if (!answer.s3_url) throw new Error(`no address: ${answer.status}`)
  return answer.s3_url
}

/** Reads a mebibyte at random positions, and compares. */
async function seek(person: Person, payload_reference: string, path: string): Promise<void> {
  const address = await getAddress(person, payload_reference)
  const file = await open(path)
  try {
    const { size } = await file.stat()
    for (let i = 0; i < SEEKS; i++) {
      const start = randomInt(Math.max(1, size - MIB))
      const expected = Buffer.alloc(Math.min(MIB, size - start))
      await file.read(expected, 0, expected.length, start)
      const range = `bytes=${start}-${start + expected.length - 1}`
      const response = await person.fetch(address, { headers: { range } })
      const got = Buffer.from(await response.arrayBuffer())
      if (response.status !== 206 || !got.equals(expected)) throw new Error(`${range} came back wrong`)
    }
  } finally {
    await file.close()
  }
}

/** Reads the whole as a download, and compares. */
async function readWhole(person: Person, payload_reference: string, path: string): Promise<void> {
  const response = await person.fetch(await getAddress(person, payload_reference))
  const file = await open(path)
  try {
    let at = 0
    for await (const chunk of response.body ?? []) {
      const expected = Buffer.alloc(chunk.length)
      await file.read(expected, 0, expected.length, at)
      if (!expected.equals(chunk)) throw new Error(`the download differs after byte ${at}`)
      at += chunk.length
    }
    if (at !== (await file.stat()).size) throw new Error(`the download ended after ${at} bytes`)
  } finally {
    await file.close()
  }
}

/** Reads the export part with the video, with a pause, and compares it with its manifest. */
async function readExport({ api, fetch }: Person, path: string): Promise<void> {
  const query = { payload_types: ['Video' as const], states: ['Processed' as const] }
  const { export_id } = await api.createExport({ query, body: { part_megabytes: 4096 } })
  const { s3_url } = await api.readExportPart({ params: { export_id, part: 1 } })
  const response = await fetch(s3_url ?? '')
  const { size } = await stat(path)
  let [at, end, hasPaused] = [0, Buffer.alloc(0), false]
  for await (const chunk of response.body ?? []) {
    at += chunk.length
    end = Buffer.concat([end, chunk]).subarray(-TAG_FILES)
    if (!hasPaused && at > size / 2) await pause(STANDSTILL_MS)
    hasPaused ||= at > size / 2
  }
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
  if (at < size || !end.includes(`${digest.digest('hex')}  data/originals/`))
    throw new Error(`the export is not the video: ${at} bytes`)
}

function report(size: number, phases: readonly PhaseMemory[]): boolean {
  const idle = phases.find(({ name }) => name === 'idle')?.peak ?? 0
  const mb = (bytes: number) => Math.round(bytes / 1e6)
  console.log(`A video of ${mb(size)} MB:`)
  console.table(
    Object.fromEntries(
      phases.map(({ name, peak, children, milliseconds }) => [
        name,
        {
          seconds: Math.round(milliseconds / 100) / 10,
          'peak MB': mb(peak),
          'above idle MB': mb(peak - idle),
          'ffmpeg MB': mb(children),
        },
      ]),
    ),
  )
  const above = mb(Math.max(...phases.map(({ peak }) => peak)) - idle)
  const isFlat = idle > 0 && above <= LIMIT_MB
  console.log(`${above} MB above idle at most; ${LIMIT_MB} are allowed: ${isFlat ? 'kept' : 'NOT kept'}`)
  return isFlat
}

main().then(
  (isFlat) => {
    process.exitCode = isFlat ? 0 : 1
  },
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  },
)
