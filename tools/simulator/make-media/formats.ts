import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { say } from './speech.ts'
import { ffmpeg, ffmpegAmr, media_folder, run } from './run.ts'

/** Wraps one HEVC key frame as a HEIC photo (ISO/IEC 23008-12); no encoder for it is at hand. */
const box = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const full = (type: string, version: number, ...parts: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts)
const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
const text = (value: string) => Buffer.from(value, 'latin1')

/** Network abstraction layer units of an Annex B stream. */
function units(stream: Buffer): Buffer[] {
  const found: Buffer[] = []
  let from = -1
  for (let i = 0; i + 3 <= stream.length; i++) {
    if (stream[i] !== 0 || stream[i + 1] !== 0 || stream[i + 2] !== 1) continue
    if (from >= 0) found.push(stream.subarray(from, stream[i - 1] === 0 ? i - 1 : i))
    from = i + 3
  }
  if (from >= 0) found.push(stream.subarray(from))
  return found
}

function heic(hevc: Buffer, width: number, height: number): Buffer {
  const kind = (unit: Buffer) => (unit[0]! >> 1) & 63
  const all = units(hevc)
  const parameters = [32, 33, 34].map((type) => all.filter((unit) => kind(unit) === type))
  const frame = Buffer.concat(
    all.filter((unit) => kind(unit) < 32).flatMap((unit) => [u32(unit.length), unit]),
  )
  const sequence = parameters[1]![0]!
  const arrays = parameters.map((list, i) =>
    Buffer.concat([
      Buffer.from([0x80 | (32 + i)]),
      u16(list.length),
      ...list.flatMap((unit) => [u16(unit.length), unit]),
    ]),
  )
  const profile = sequence.subarray(3, 15)
  const hvcC = Buffer.concat([
    Buffer.from([1]),
    profile,
    u16(0xf000),
    Buffer.from([0xfc, 0xfd, 0xf8, 0xf8]),
    u16(0),
    Buffer.from([0x0f, 3]),
    ...arrays,
  ])
  const meta = (offset: number) =>
    full(
      'meta',
      0,
      full('hdlr', 0, u32(0), text('pict'), Buffer.alloc(13)),
      full('pitm', 0, u16(1)),
      full('iloc', 0, u16(0x4400), u16(1), u16(1), u16(0), u16(1), u32(offset), u32(frame.length)),
      full('iinf', 0, u16(1), full('infe', 2, u16(1), u16(0), text('hvc1\0'))),
      box(
        'iprp',
        box('ipco', box('hvcC', hvcC), full('ispe', 0, u32(width), u32(height))),
        full('ipma', 0, u32(1), u16(1), Buffer.from([2, 0x81, 0x02])),
      ),
    )
  const ftyp = box('ftyp', text('heic'), u32(0), text('mif1heic'))
  const offset = ftyp.length + meta(0).length + 8
  return Buffer.concat([ftyp, meta(offset), box('mdat', frame)])
}

/** One tiny file per codec that phones and recorders produce; the media port's tests read them. [file, content type, how] */
type Format = [file: string, content_type: string, tool: 'new' | 'amr', args: string[]]
const plain = ['-map_metadata', '-1', '-fflags', '+bitexact']
const sound = (...args: string[]) => ['-map', '0:a', ...args, ...plain]
const film = (...args: string[]) => ['-map', '1:v', '-map', '0:a', ...args, ...plain]
const amr = ['-c:a', 'libopencore_amrnb', '-b:a', '12.2k', '-ar', '8000', '-ac', '1']
const aac = ['-c:a', 'aac', '-b:a', '24k', '-ar', '16000', '-ac', '1']
const h264 = ['-c:v', 'libx264', '-crf', '32', '-pix_fmt', 'yuv420p']

const formats: Format[] = [
  ['amr-nb.amr', 'audio/amr', 'amr', sound(...amr, '-f', 'amr')],
  [
    'amr-wb.amr',
    'audio/amr-wb',
    'amr',
    sound('-c:a', 'libvo_amrwbenc', '-b:a', '12.65k', '-ar', '16000', '-ac', '1', '-f', 'amr'),
  ],
  ['amr-nb.3gp', 'audio/3gpp', 'amr', sound(...amr, '-f', '3gp')],
  [
    'h263-amr.3gp',
    'video/3gpp',
    'amr',
    film('-c:v', 'h263', '-s', '176x144', '-b:v', '80k', ...amr, '-f', '3gp'),
  ],
  [
    'h264-amr.3gp',
    'video/3gpp',
    'amr',
    film('-c:v', 'libx264', '-crf', '32', '-pix_fmt', 'yuv420p', ...amr, '-f', '3gp'),
  ],
  ['h264-aac.3gp', 'video/3gpp', 'new', film(...h264, ...aac, '-f', '3gp')],
  ['h264-aac.mp4', 'video/mp4', 'new', film(...h264, ...aac, '-movflags', '+faststart', '-f', 'mp4')],
  ['h264-aac-moov-last.mp4', 'video/mp4', 'new', film(...h264, ...aac, '-f', 'mp4')],
  [
    'hevc-aac.mov',
    'video/quicktime',
    'new',
    film(
      '-c:v',
      'libx265',
      '-pix_fmt',
      'yuv420p',
      '-x265-params',
      'log-level=none',
      '-crf',
      '34',
      '-tag:v',
      'hvc1',
      ...aac,
      '-f',
      'mov',
    ),
  ],
  ['mpeg4-aac.mp4', 'video/mp4', 'new', film('-c:v', 'mpeg4', '-b:v', '100k', ...aac, '-f', 'mp4')],
  [
    'vp9-opus.webm',
    'video/webm',
    'new',
    film(
      '-c:v',
      'libvpx-vp9',
      '-pix_fmt',
      'yuv420p',
      '-crf',
      '45',
      '-b:v',
      '0',
      '-c:a',
      'libopus',
      '-b:a',
      '16k',
      '-f',
      'webm',
    ),
  ],
  [
    'vp8-vorbis.webm',
    'video/webm',
    'new',
    film('-c:v', 'libvpx', '-b:v', '80k', '-c:a', 'libvorbis', '-f', 'webm'),
  ],
  ['aac.m4a', 'audio/mp4', 'new', sound(...aac, '-f', 'ipod')],
  ['aac.aac', 'audio/aac', 'new', sound(...aac, '-f', 'adts')],
  [
    'mp3.mp3',
    'audio/mpeg',
    'new',
    sound(
      '-c:a',
      'libmp3lame',
      '-b:a',
      '32k',
      '-ar',
      '16000',
      '-ac',
      '1',
      '-id3v2_version',
      '3',
      '-f',
      'mp3',
    ),
  ],
  [
    'mp3-no-id3.mp3',
    'audio/mpeg',
    'new',
    sound(
      '-c:a',
      'libmp3lame',
      '-b:a',
      '32k',
      '-ar',
      '16000',
      '-ac',
      '1',
      '-id3v2_version',
      '0',
      '-write_xing',
      '0',
      '-f',
      'mp3',
    ),
  ],
  ['opus.ogg', 'audio/ogg', 'new', sound('-c:a', 'libopus', '-b:a', '16k', '-f', 'ogg')],
  ['speex.ogg', 'audio/ogg', 'new', sound('-c:a', 'libspeex', '-ar', '8000', '-ac', '1', '-f', 'ogg')],
  ['flac.flac', 'audio/flac', 'new', sound('-c:a', 'flac', '-ar', '8000', '-ac', '1', '-f', 'flac')],
  ['pcm.wav', 'audio/wav', 'new', sound('-c:a', 'pcm_s16le', '-ar', '8000', '-ac', '1', '-f', 'wav')],
  ['mulaw.wav', 'audio/wav', 'new', sound('-c:a', 'pcm_mulaw', '-ar', '8000', '-ac', '1', '-f', 'wav')],
  ['gsm.wav', 'audio/wav', 'new', sound('-c:a', 'libgsm_ms', '-ar', '8000', '-ac', '1', '-f', 'wav')],
  [
    'stereo.wav',
    'audio/wav',
    'new',
    sound('-af', 'pan=stereo|c0=c0|c1=0.2*c0', '-c:a', 'pcm_s16le', '-ar', '8000', '-f', 'wav'),
  ],
]

const still = ['-f', 'lavfi', '-i', 'testsrc2=size=96x64:rate=1', '-frames:v', '1', ...plain]
const images: [file: string, content_type: string, args: string[]][] = [
  ['photo.jpg', 'image/jpeg', [...still, '-pix_fmt', 'yuvj420p', '-q:v', '8', '-f', 'mjpeg']],
  ['photo.png', 'image/png', [...still, '-pix_fmt', 'rgb24', '-f', 'image2', '-c:v', 'png', '-update', '1']],
  ['photo.gif', 'image/gif', [...still, '-f', 'gif']],
  ['photo.webp', 'image/webp', [...still, '-c:v', 'libwebp', '-f', 'webp']],
]

/** Makes `media/formats/` and returns what was made. */
export function makeFormats(scratch: string): { file: string; content_type: string }[] {
  const folder = path.join(media_folder, 'formats')
  mkdirSync(folder, { recursive: true })
  const raw = path.join(scratch, 'format.raw')
  writeFileSync(raw, Buffer.from(say('One, two, three. This is a test.', 'en', 'woman', scratch).buffer))
  const input = [
    '-f',
    's16le',
    '-ar',
    '16000',
    '-ac',
    '1',
    '-i',
    raw,
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=176x144:rate=10',
  ]
  const made: { file: string; content_type: string }[] = []
  for (const [file, content_type, tool, args] of formats) {
    const encode = tool === 'amr' ? ffmpegAmr : ffmpeg
    encode([...input, ...args, '-t', '2.4', path.join(folder, file)])
    made.push({ file: `formats/${file}`, content_type })
  }
  for (const [file, content_type, args] of images) {
    ffmpeg([...args, path.join(folder, file)])
    made.push({ file: `formats/${file}`, content_type })
  }
  const hevc = ffmpeg([
    ...still,
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx265',
    '-x265-params',
    'log-level=none:info=0',
    '-f',
    'hevc',
    'pipe:1',
  ])
  writeFileSync(path.join(folder, 'photo.heic'), heic(hevc, 96, 64))
  made.push({ file: 'formats/photo.heic', content_type: 'image/heic' })
  run('zip', [
    '-q',
    '-X',
    '-j',
    path.join(folder, 'bundle.zip'),
    path.join(media_folder, 'diagnostics', 'diagnostics.json'),
  ])
  made.push({ file: 'formats/bundle.zip', content_type: 'application/zip' })
  return made
}
