import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { associatedData, seal, sealedSize } from '@custodia/envelope'
import { dekContext } from '../../../apps/server/src/ports/keys/contexts.ts'
import { localFileKeys } from '../../../apps/server/src/ports/keys/local-file.ts'
import { filesystemStore } from '../../../apps/server/src/ports/objects/filesystem.ts'
import { addVisitor, type Archive, CLIENT } from './fill.ts'
import { fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { getPids, type RunningServer, signIn, sharedServer } from './server.ts'

const SERVER = fileURLToPath(new URL('./range-server.ts', import.meta.url))
const USER = 'player'
/** Bytes of each request; 0: all. One connection shows the time of a read, eight the work of one. */
const CASES = [
  { name: '64 KiB', bytes: 65_536, connections: 1 },
  { name: '64 KiB', bytes: 65_536, connections: 8 },
  { name: '1 MiB', bytes: 2 ** 20, connections: 1 },
  { name: '1 MiB', bytes: 2 ** 20, connections: 8 },
  { name: 'all', bytes: 0, connections: 1 },
]

/** Reads of sealed data, compared with reads of a plain file with the same bytes, by the same server under the same conditions. */
export async function measureRange(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  const size = options.range_bytes
  say(`Sealing ${size / 2 ** 20} MiB …`)
  const file = join(archive.folder, 'plain')
  const payload_reference = await storeVideo(archive, file, size)
  await addVisitor(archive, USER, 'Compliance Reviewer')
  const server = await sharedServer(archive, options.server ?? SERVER, { FILE: file })
  try {
    const lines = CASES.map(({ name, connections }): Line => {
      return { name: `${name}, ${connections} at a time`, note: '', pairs: [] }
    })
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { bytes, connections }] of CASES.entries()) {
        const { sealed, plain, headers } = await getAddress(server, payload_reference)
        if (round === 1) await compare(server, sealed, plain, headers)
        const side = (to: string) => {
          const random = seeded(round)
          const target = {
            port: server.port,
            path: () => to,
            get headers() {
              const start = Math.floor(random() * (size - bytes))
              return bytes === 0 ? headers : { ...headers, range: `bytes=${start}-${start + bytes - 1}` }
            },
            pids: () => getPids(archive, server, 'custodia'),
          }
          return load(target, connections, options.milliseconds)
        }
        // The second side finds warm caches: the sides alternate.
        const [first, second] = round % 2 === 0 ? [sealed, plain] : [plain, sealed]
        const samples = { [first]: await side(first), [second]: await side(second) }
        const [subject, baseline] = [samples[sealed], samples[plain]]
        if (subject && baseline) lines[i]?.pairs.push({ subject, floor: baseline })
      }
    }
    return lines
  } finally {
    await server.stop()
  }
}

/** Writes the same pseudo-random bytes as a plain file and, sealed, as the original of a video. */
async function storeVideo(
  { folder, owner, client_id }: Archive,
  plain: string,
  size: number,
): Promise<string> {
  const file = await open(plain, 'w')
  let block = createHash('sha512').update('bench').digest()
  const chunk = Buffer.alloc(2 ** 20)
  for (let written = 0; written < size; written += chunk.length) {
    for (let at = 0; at < chunk.length; at += 64) {
      block = at % 4096 === 0 ? createHash('sha512').update(block).digest() : block
      block.copy(chunk, at)
    }
    await file.write(chunk)
  }
  await file.close()
  const data = join(folder, 'data')
  const keys = localFileKeys({ folder: join(data, 'keys') })
  const store = filesystemStore({
    root: join(data, 'objects'),
    base_url: 'http://127.0.0.1',
    upload_secret: await keys.namedSecret('uploads'),
    now: () => Math.floor(Date.now() / 1000),
  })
  const { rows } = await owner.query<{ payload_id: number; payload_reference: string }>(
    'select payload_id, payload_reference from payloads where type = 9 and state = 5 order by payload_id limit 1',
  )
  const [video] = rows
  assert.ok(video)
  const { payload_id, payload_reference } = video
  const dek = createHash('sha256').update('bench').digest()
  const aad = associatedData({ client: CLIENT, payload_reference, kind: 'original' })
  const object_key = `${CLIENT}/bench-video`
  await store.put(object_key, seal(dek, aad, createReadStream(plain, { highWaterMark: 2 ** 20 })))
  await owner.query(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, details, created_at)
     values ($1, $2, 'original', $3, $4, $5, $6, 'video/mp4', '{"is_playable": true}', 0)`,
    [
      client_id,
      payload_id,
      object_key,
      await keys.wrap(dek, dekContext(CLIENT, payload_reference)),
      sealedSize(size),
      size,
    ],
  )
  return payload_reference
}

/** The addresses of the data, opened from its seal and as a plain file. They are valid for a minute. */
async function getAddress(server: RunningServer, payload_reference: string) {
  const headers = await signIn(server, USER)
  const path = () => `/client/v1/api/payloads/${payload_reference}/data?action=play`
  const answer = JSON.parse((await fetchBytes({ port: server.port, path, headers })).toString()) as {
    s3_url: string
  }
  const sealed = new URL(answer.s3_url).pathname
  return { sealed, plain: sealed.replace('/media/', '/plain/'), headers: { cookie: headers.cookie ?? '' } }
}

async function compare(
  { port }: RunningServer,
  sealed: string,
  plain: string,
  headers: Record<string, string>,
): Promise<void> {
  const range = { range: 'bytes=123456-223455' }
  const [opened, same] = await Promise.all(
    [sealed, plain].map((path) => fetchBytes({ port, path: () => path, headers: { ...headers, ...range } })),
  )
  assert.ok(opened?.length === 100_000 && same?.equals(opened), 'both sides must answer the same')
}

/** Same places for the same round (mulberry32). */
function seeded(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
