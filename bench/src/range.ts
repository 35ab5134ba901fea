import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { associatedData, seal, sealedSize } from '@custodia/envelope'
import { dekContext } from '../../apps/server/src/payloads/data-objects.ts'
import { localFileKeys } from '../../apps/server/src/ports/keys/local-file.ts'
import { filesystemStore } from '../../apps/server/src/ports/objects/filesystem.ts'
import { CLIENT } from './fill.ts'
import {
  addVisitor,
  type Archive,
  freePort,
  pidsOf,
  type Running,
  signIn,
  startProgram,
  startServer,
} from './house.ts'
import type { ListOptions } from './lists.ts'
import { fetchBytes, load } from './load.ts'
import type { Line } from './report.ts'

const FLOOR = fileURLToPath(new URL('./range-floor.ts', import.meta.url))
const SIZE = 200 * 2 ** 20
const USER = 'player'
/** Bytes asked for at a time and connections that ask; 0 bytes: the whole. */
const CASES = [
  { name: 'range of 64 KiB', bytes: 65_536, connections: 4 },
  { name: 'range of 1 MiB', bytes: 2 ** 20, connections: 4 },
  { name: 'the whole 200 MiB', bytes: 0, connections: 1 },
]

/** Playing sealed data through the real server beside reading the same bytes of a plain file. */
export async function measureRange(
  archive: Archive,
  options: ListOptions,
  say: (step: string) => void,
): Promise<Line[]> {
  say('Sealing 200 MiB …')
  const plain = join(archive.folder, 'plain')
  const payload_reference = await storeVideo(archive, plain)
  await addVisitor(archive, USER, 'Compliance Reviewer')
  const ours = await startServer(archive, options.server)
  const floor = await startProgram(FLOOR, await freePort(), { FILE: plain })
  try {
    const lines = CASES.map(({ name }): Line => ({ name, note: '', pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { bytes, connections }] of CASES.entries()) {
        const { path, headers } = await addressOf(ours, payload_reference)
        if (round === 1) await compare(ours, floor, path, headers)
        const random = seeded(round)
        const side = (running: Running, to: string, application: string) =>
          load(
            {
              port: running.port,
              path: () => to,
              get headers() {
                const start = Math.floor(random() * (SIZE - bytes))
                return bytes === 0 ? headers : { ...headers, range: `bytes=${start}-${start + bytes - 1}` }
              },
              pids: () => pidsOf(archive, running, application),
            },
            connections,
            options.milliseconds,
          )
        const subject = await side(ours, path, 'custodia')
        lines[i]?.pairs.push({ subject, floor: await side(floor, '/', 'no database') })
      }
    }
    return lines
  } finally {
    await Promise.all([ours.stop(), floor.stop()])
  }
}

/** Writes the same pseudo-random bytes as a plain file and, sealed, as the original of a video. */
async function storeVideo({ folder, owner, client_id }: Archive, plain: string): Promise<string> {
  const file = await open(plain, 'w')
  let block = createHash('sha512').update('bench').digest()
  const chunk = Buffer.alloc(2 ** 20)
  for (let written = 0; written < SIZE; written += chunk.length) {
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
      sealedSize(SIZE),
      SIZE,
    ],
  )
  return payload_reference
}

async function addressOf(ours: Running, payload_reference: string) {
  const headers = await signIn(ours, USER)
  const path = () => `/client/v1/api/payloads/${payload_reference}/data?action=play`
  const answer = JSON.parse((await fetchBytes({ port: ours.port, path, headers })).toString()) as {
    s3_url: string
  }
  return { path: new URL(answer.s3_url).pathname, headers: { cookie: headers.cookie ?? '' } }
}

async function compare(
  ours: Running,
  floor: Running,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  const range = { range: 'bytes=123456789-123556788' }
  const [sealed, plain] = await Promise.all([
    fetchBytes({ port: ours.port, path: () => path, headers: { ...headers, ...range } }),
    fetchBytes({ port: floor.port, path: () => '/', headers: range }),
  ])
  assert.ok(sealed.length === 100_000 && sealed.equals(plain), 'both sides must answer the same')
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
