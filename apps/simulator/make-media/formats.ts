import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { say } from './speech.ts'
import { heic } from './heic.ts'
import { ffmpeg, ffmpegAmr, media_folder, run } from './run.ts'

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
