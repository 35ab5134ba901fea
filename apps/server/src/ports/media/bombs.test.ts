import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exifJpeg } from '@custodia/simulator'
import { LONG, longOnly } from '../../testing/long.ts'
import { getBytes, collect, inMemory, skip, sniffBytes, getSource, tools } from '../../testing/media-files.ts'
import { requirePart, seeded } from '../../testing/require-part.ts'
import { box, EXPENSIVE_FILES, ftyp, gif, moov, MP4_BOMBS, png } from './bombs.test-support.ts'
import { MEMORY_BYTES } from './limits.ts'
import { withIndex } from './mp4-index.ts'
import { boxes } from './mp4.ts'
import { MediaError, type MediaErrorCode } from './port.ts'
import { inspectPicture, probe } from './probe.ts'
import { renderVideo } from './render.ts'
import { inspect } from './run.ts'
import { readExif, renderThumbnail } from './thumbnail.ts'
import { type Confinement, type MediaTools, unconfined } from './tools.ts'

/** Programs that do not exist: each start fails with `no_tool`. */
const nothing: MediaTools = {
  ffmpeg: '/nowhere/ffmpeg',
  ffprobe: '/nowhere/ffprobe',
  ffmpeg_version: '0',
  ffprobe_version: '0',
  confinement: unconfined,
}
const ask = (bytes: Buffer, asked = nothing) => probe(asked, getSource(bytes), sniffBytes(bytes))
const fails =
  (...codes: MediaErrorCode[]) =>
  (error: unknown) =>
    error instanceof MediaError && codes.includes(error.code)

const MAX = 256 * 1024 ** 2
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
  const allowed = { memory_bytes: MEMORY_BYTES, cpu_seconds: 4 }
  const child = spawn(...confinement.command(tools!.ffprobe, ['-v', 'error', '-f', 'mov', '-'], allowed))
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
  assert.deepEqual((await ask(png(1500))).video, { codec: 'png', width: 1500, height: 1500 })
  await assert.rejects(ask(png(7000, 10)), fails('corrupt'))
  await assert.rejects(ask(png(40_000, 10)), fails('limit'))
  assert.deepEqual((await ask(gif(9000))).video, { codec: 'gif', width: 1000, height: 1000 })
  await assert.rejects(ask(gif(20_000)), fails('limit'))
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
  const source = await inspect(getSource(last), 'mp4')
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
      assert.ok(peak <= MAX, `${name}: ${peak} bytes`)
      assert.ok(seconds <= 5, `${name}: ${seconds} s`)
      // The bomb is real: it takes effect without the confinement.
      const free = await measure(unconfined, blindly(MP4_BOMBS[name]!))
      assert.ok(free.peak > 4 * MAX, `${name}: ${free.peak} bytes without restrictions`)
    }
  },
)

test('refuses a film that needs too much memory to decode', LONG ? measured : longOnly, async () => {
  if (tools!.confinement.missing.includes('limits')) return
  const film = await filmOfManyPictures()
  const { peak } = await measure(tools!.confinement, async (confinement) => {
    const confined = { ...tools!, confinement }
    const probed = await ask(film, confined)
    await assert.rejects(renderVideo(confined, getSource(film), probed, inMemory), fails('limit'))
  })
  assert.ok(peak <= MAX, `${peak} bytes`)
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

const film = async () => {
  const bytes = getBytes('videos/vistoria-obra.3gp')
  const source = getSource(bytes)
  const probed = await probe(tools!, source, sniffBytes(bytes))
  return { probed, bytes: await collect((await renderVideo(tools!, source, probed, inMemory)).chunks) }
}

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('writes an index per track that covers every fragment and the whole duration', { skip }, async () => {
  const { probed, bytes } = await film()
  const all = [...boxes(bytes)]
  assert.equal(all.at(-1)?.end, bytes.length)
  const moofs = all.filter((box) => box.type === 'moof').map((box) => box.start)
  assert.ok(moofs.length >= 3)
  const indexes = all.filter((box) => box.type === 'sidx')
  assert.equal(indexes.length, 2)
  for (const index of indexes) {
    const timescale = bytes.readUInt32BE(index.start + 16)
    let at = index.end + Number(bytes.readBigUInt64BE(index.start + 28))
    let ticks = 0
    const count = bytes.readUInt16BE(index.start + 38)
    const starts: number[] = []
    for (let i = 0; i < count; i++) {
      starts.push(at)
      at += bytes.readUInt32BE(index.start + 40 + 12 * i)
      ticks += bytes.readUInt32BE(index.start + 44 + 12 * i)
    }
    assert.deepEqual(starts, moofs)
    assert.equal(at, bytes.length)
    assert.ok(Math.abs(ticks / timescale - probed.duration!) < 0.25, `${ticks / timescale}`)
  }
})

test(
  'accepts chunks cut anywhere and groups fragments when there are too many for one index',
  { skip },
  async () => {
    const { bytes } = await film()
    const all = [...boxes(bytes)].filter((box) => box.type !== 'sidx')
    const bare = Buffer.concat(all.map((box) => bytes.subarray(box.start, box.end)))
    assert.ok(bytes.equals(await collect(await withIndex(inPieces(bare, 777), inMemory))))

    const [moof, mdat] = ['moof', 'mdat'].map((type) => all.find((box) => box.type === type)!)
    const fragment = Buffer.concat([
      bytes.subarray(moof!.start, moof!.end),
      Buffer.from([0, 0, 0, 8]),
      Buffer.from('mdat'),
    ])
    assert.ok(mdat)
    async function* long() {
      for (const { type, start, end } of all)
        if (type === 'ftyp' || type === 'moov') yield bytes.subarray(start, end)
      for (let i = 0; i < 70_000; i++) yield fragment
    }
    let size = 0
    const made = await withIndex(long(), async (chunks) => {
      for await (const chunk of chunks) size += chunk.length
      return async function* () {}
    })
    const head = await collect(made)
    const [index] = [...boxes(head)].filter((box) => box.type === 'sidx')
    const count = head.readUInt16BE(index!.start + 38)
    assert.equal(count, 35_000)
    let named = 0
    for (let i = 0; i < count; i++) named += head.readUInt32BE(index!.start + 40 + 12 * i)
    assert.equal(named, size)
  },
)

test('refuses a file that is not MP4', async () => {
  await assert.rejects(withIndex(inPieces(Buffer.from('this is no film at all'), 5), inMemory), RangeError)
})

const draw = async (bytes: Buffer) =>
  collect((await renderThumbnail(tools!, getSource(bytes), sniffBytes(bytes))).chunks)
const getSize = async (jpeg: Buffer) => {
  const picture = await inspectPicture(getSource(jpeg), sniffBytes(jpeg).container)
  assert.ok(picture)
  return picture
}

test('draws small pictures of photos and films without their metadata', { skip }, async () => {
  for (const file of [
    'formats/photo.jpg',
    'formats/photo.png',
    'photos/whiteboard.jpg',
    'formats/h264-aac-moov-last.mp4',
    'formats/vp9-opus.webm',
    'formats/h263-amr.3gp',
  ]) {
    const jpeg = await draw(getBytes(file))
    const { width, height } = await getSize(jpeg)
    assert.ok(width > 1 && height > 1 && Math.max(width, height) <= 400, `${file}: ${width} × ${height}`)
    assert.ok(jpeg.length < 100_000, `${file}: ${jpeg.length} bytes`)
    assert.ok(!jpeg.includes('Exif') && !jpeg.includes('Lavc'), file)
  }
})

test('turns the thumbnail of a photo according to its orientation', { skip }, async () => {
  const photo = getBytes('photos/whiteboard.jpg')
  const { width, height } = await getSize(await draw(photo))
  assert.ok(width > height)
  for (const [orientation, is_turned] of [
    [1, false],
    [6, true],
  ] as const) {
    const turned = await getSize(await draw(exifJpeg({ orientation }, 'MM', photo)))
    assert.equal(turned.height > turned.width, is_turned, `orientation ${orientation}`)
  }
})

test('limits or refuses the thumbnail of a corrupt or oversized picture', { skip }, async () => {
  const photo = getBytes('photos/whiteboard.jpg')
  const noise = Buffer.from(photo)
  noise.fill(0x5a, 400)
  for (const [name, bytes] of Object.entries({
    'a PNG of 49 megapixels': png(7000),
    'a PNG of a gigapixel': png(40_000, 10),
    'a GIF of many pictures': gif(9000),
    'a cut JPEG': photo.subarray(0, 300),
    'a JPEG of noise': noise,
  })) {
    await draw(bytes).then(
      (jpeg) => assert.ok(jpeg.length < 256 * 1024, name),
      (error: unknown) => assert.ok(error instanceof MediaError, `${name}: ${String(error)}`),
    )
  }
})

const FACTS = {
  orientation: 6,
  location: { latitude: -23.5505, longitude: -46.633333 },
  taken_at: '2026-11-02T09:00:00',
}

test('reads location, time and orientation of a photo in either byte order', () => {
  for (const order of ['II', 'MM'] as const) assert.deepEqual(readExif(exifJpeg(FACTS, order)), FACTS)
  const north = { location: { latitude: 51.5, longitude: 0.25 } }
  assert.deepEqual(readExif(exifJpeg(north, 'MM')), north)
})

test('leaves out impossible values', () => {
  assert.deepEqual(readExif(exifJpeg({ orientation: 9 }, 'II')), {})
  assert.deepEqual(readExif(exifJpeg({ location: { latitude: 91, longitude: 1 } }, 'II')), {})
  assert.deepEqual(readExif(exifJpeg({ taken_at: '0000-00-00T00:00:00' }, 'II')), {})
  assert.deepEqual(readExif(Buffer.from('no photo')), {})
})

test('reads truncated and altered headers without failing', () => {
  const whole = exifJpeg(FACTS, 'II')
  for (let length = 0; length < whole.length; length++) readExif(whole.subarray(0, length))
  const random = seeded(7)
  for (let round = 0; round < 1000; round++) {
    const altered = Buffer.from(whole)
    for (let i = 0; i < 4; i++)
      altered[4 + Math.floor(random() * (altered.length - 4))] = Math.floor(random() * 256)
    readExif(altered)
  }
})
