import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { requirePart } from '../../testing/require-part.ts'
import { EXPENSIVE_FILES, box, ftyp, gif, moov, MP4_BOMBS, png } from './bombs.test-support.ts'
import { type Confinement, unconfined } from './confinement.ts'
import {
  bytesOf,
  collect,
  inMemory,
  media_files,
  skip,
  sniffOf,
  sourceOf,
  tools,
} from '../../testing/media-files.ts'
import { inspect } from './inspect.ts'
import { MEMORY_BYTES } from './limits.ts'
import { MediaError, type MediaErrorCode, type MediaTools } from './port.ts'
import { probe } from './probe.ts'
import { renderVideo } from './render.ts'
import { LONG, longOnly } from '../../testing/long.ts'

/** Programs that do not exist: each start fails with `no_tool`. */
const nothing: MediaTools = {
  ffmpeg: '/nowhere/ffmpeg',
  ffprobe: '/nowhere/ffprobe',
  ffmpeg_version: '0',
  ffprobe_version: '0',
  confinement: unconfined,
}
const ask = (bytes: Buffer, asked = nothing) => probe(asked, sourceOf(bytes), sniffOf(bytes))
const fails =
  (...codes: MediaErrorCode[]) =>
  (error: unknown) =>
    error instanceof MediaError && codes.includes(error.code)

const MOST = 256 * 1024 ** 2
const TIME = '/usr/bin/time'
const measured = { skip: skip || requirePart('time', existsSync(TIME)).skip }

/** The largest memory (bytes) and CPU time of the measured runs, as the system counted them. */
async function measure(under: Confinement, work: (confinement: Confinement) => Promise<unknown>) {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-bombs-'))
  const file = join(folder, 'used')
  try {
    await work({
      missing: under.missing,
      command: (...run) => {
        const [program, args] = under.command(...run)
        return [TIME, ['-q', '-a', '-o', file, '-f', '%M %U %S', program, ...args]]
      },
    })
    const runs = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
    return {
      peak: 1024 * Math.max(...runs.map(([kilobytes = 0]) => kilobytes)),
      seconds: runs.reduce((sum, [, user = 0, system = 0]) => sum + user + system, 0),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** ffprobe on bytes without an earlier check. */
const blindly = (bytes: Buffer) => async (confinement: Confinement) => {
  const ration = { memory_bytes: MEMORY_BYTES, cpu_seconds: 4 }
  const child = spawn(...confinement.command(tools!.ffprobe, ['-v', 'error', '-f', 'mov', '-'], ration))
  child.stdin.on('error', () => {})
  child.stdin.end(bytes)
  child.stdout.resume()
  child.stderr.resume()
  await new Promise((resolve) => child.once('close', resolve))
}

for (const [name, bytes] of Object.entries(MP4_BOMBS)) {
  test(`rejects ${name} (${bytes.length} bytes) before any program reads it`, async () => {
    await assert.rejects(ask(bytes), fails('corrupt', 'limit'))
  })
}

test('probes pictures without any program and rejects false or extreme sizes', async () => {
  assert.deepEqual((await ask(png(7000))).video, { codec: 'png', width: 7000, height: 7000 })
  await assert.rejects(ask(png(7000, 10)), fails('corrupt'))
  await assert.rejects(ask(png(40_000, 10)), fails('limit'))
  assert.deepEqual((await ask(gif(9000))).video, { codec: 'gif', width: 1000, height: 1000 })
  await assert.rejects(ask(gif(20_000)), fails('limit'))
})

test('accepts the counts in all pictures and recordings of the simulator', async () => {
  for (const { file } of media_files) {
    const bytes = bytesOf(file)
    await inspect(sourceOf(bytes), sniffOf(bytes).container)
  }
})

test('moves an index at the end before the data without changing the bytes it refers to', async () => {
  const track = (offset: number) => {
    const index = moov({ samples: 1 })
    index.writeUInt32BE(offset, index.indexOf('stco') + 12)
    return index
  }
  const data = box('mdat', Buffer.from('evidence'))
  const more = box('free', Buffer.alloc(5))
  const last = Buffer.concat([ftyp, data, track(ftyp.length + 8), more])
  const source = await inspect(sourceOf(last), 'mp4')
  const read = await collect(source.read(0, source.size) as AsyncIterable<Buffer>)
  const moved = track(ftyp.length + 8 + track(0).length)
  assert.deepEqual(read, Buffer.concat([ftyp, moved, data, more]))
})

test(
  'limits the memory and time of ffprobe for unchecked bombs in the sandbox',
  LONG ? measured : longOnly,
  async () => {
    if (tools!.confinement.missing.includes('limits')) return
    for (const name of EXPENSIVE_FILES) {
      const { peak, seconds } = await measure(tools!.confinement, blindly(MP4_BOMBS[name]!))
      assert.ok(peak <= MOST, `${name}: ${peak} bytes`)
      assert.ok(seconds <= 5, `${name}: ${seconds} s`)
      // The bomb is real: it takes effect without the confinement.
      const free = await measure(unconfined, blindly(MP4_BOMBS[name]!))
      assert.ok(free.peak > 4 * MOST, `${name}: ${free.peak} bytes without walls`)
    }
  },
)

test('refuses a film that needs too much memory to decode', LONG ? measured : longOnly, async () => {
  if (tools!.confinement.missing.includes('limits')) return
  const film = await filmOfManyPictures()
  const { peak } = await measure(tools!.confinement, async (confinement) => {
    const confined = { ...tools!, confinement }
    const probed = await ask(film, confined)
    await assert.rejects(renderVideo(confined, sourceOf(film), probed, inMemory), fails('limit'))
  })
  assert.ok(peak <= MOST, `${peak} bytes`)
})

/** 4096 × 2304 pixels; the decoder must keep sixteen pictures. */
async function filmOfManyPictures(): Promise<Buffer> {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=4096x2304:rate=10', '-frames:v', '24']
  const kept = ['-c:v', 'libx264', '-preset', 'ultrafast', '-refs', '16', '-x264-params', 'ref=16:level=62']
  const child = spawn(tools!.ffmpeg, [
    '-v',
    'error',
    ...picture,
    ...kept,
    '-f',
    'mp4',
    '-movflags',
    'frag_keyframe+empty_moov',
    '-',
  ])
  child.stderr.resume()
  return collect(child.stdout)
}
