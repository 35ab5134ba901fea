/**
 * Makes everything below `tools/simulator/media/`; the results are committed. Needs Debian's ffmpeg, flite, espeak-ng,
 * chromium and zip, and an ffmpeg from npm that encodes AMR, which must never be shipped or read foreign files:
 *
 *     npm install --prefix <folder outside the repository> @ffmpeg-installer/linux-x64@4.1.0
 *     AMR_FFMPEG_FOLDER=<that folder> node tools/simulator/make-media/main.ts
 *
 * The voices are flite's rms and slt (CMU licence) and espeak-ng (GPLv3). All persons, companies, numbers and orders
 * are invented.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { calls, type Conversation, interviews, narrations } from './conversations.ts'
import { makeFormats } from './formats.ts'
import { drawPicture, pictures } from './pictures.ts'
import { duration, ffmpeg, ffmpegAmr, media_folder } from './run.ts'
import { recordCall, say } from './speech.ts'

const plain = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']

/** Encodes a WAV the way phones and call recorders do; returns the content type. */
function encodeAudio(wav: string, file: string, encoding: Conversation['encoding'], channels: 1 | 2): string {
  const mono = ['-af', 'pan=mono|c0=0.9*c0+0.9*c1']
  const mix = channels === 1 ? mono : ['-ac', '2']
  const amr = (codec: string) => ffmpegAmr(['-i', wav, ...mono, ...codec.split(' '), file])
  const encode = (codec: string, format: string) =>
    ffmpeg(['-i', wav, ...mix, ...codec.split(' '), ...plain, '-f', format, file])
  switch (encoding) {
    case 'amr-nb':
      amr('-ar 8000 -c:a libopencore_amrnb -b:a 12.2k -f amr')
      return 'audio/amr'
    case 'amr-wb':
      amr('-ar 16000 -c:a libvo_amrwbenc -b:a 15.85k -f amr')
      return 'audio/amr-wb'
    case 'amr-3gp':
      amr(`-ar 8000 -c:a libopencore_amrnb -b:a 12.2k ${plain.join(' ')} -f 3gp`)
      return 'audio/3gpp'
    case 'aac':
      encode(`-ar 16000 -c:a aac -b:a ${channels === 1 ? '24k' : '40k'}`, 'ipod')
      return 'audio/mp4'
    case 'opus':
      encode(`-c:a libopus -b:a ${channels === 1 ? '16k' : '28k'} -application voip`, 'ogg')
      return 'audio/ogg'
    case 'mp3':
      encode('-ar 16000 -c:a libmp3lame -b:a 32k', 'mp3')
      return 'audio/mpeg'
    case 'wav':
      encode('-ar 8000 -c:a pcm_s16le', 'wav')
      return 'audio/wav'
  }
}

const videos = [
  {
    file: 'videos/site-walk.mp4',
    from: 'photos/construction-site.jpg',
    title: 'Walk over the construction site',
    says: 'site',
    content_type: 'video/mp4',
  },
  {
    file: 'videos/vistoria-obra.3gp',
    from: 'photos/construction-site.jpg',
    title: 'Vistoria da obra',
    says: 'obra',
    content_type: 'video/3gpp',
  },
] as const

/** A slow pan over a picture with a spoken comment: H.264 + AAC for .mp4, H.263 + AMR (an old phone) for .3gp. */
function film(video: (typeof videos)[number], scratch: string): void {
  const { language, voice, text } = narrations[video.says]
  const raw = path.join(scratch, 'narration.raw')
  const samples = say(text, language, voice, scratch)
  writeFileSync(raw, Buffer.from(samples.buffer))
  const seconds = (samples.length / 16_000 + 1).toFixed(2)
  const sound = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', raw]
  const picture = ['-loop', '1', '-framerate', '12', '-t', seconds, '-i', path.join(media_folder, video.from)]
  const pan = (size: string) =>
    `scale=960:720,crop=640:480:x='min(320,n*2.6)':y='120+40*sin(n/14)',scale=${size},setsar=1,noise=alls=4:allf=t:all_seed=5`
  const out = path.join(media_folder, video.file)
  const input = [...picture, ...sound]
  if (video.says === 'site') {
    const codecs = '-c:v libx264 -preset slow -crf 27 -pix_fmt yuv420p -c:a aac -b:a 32k'.split(' ')
    const end = ['-t', seconds, ...'-map_metadata -1 -fflags +bitexact -threads 1'.split(' ')]
    ffmpeg([...input, '-vf', pan('480:360'), ...codecs, '-af', 'apad=pad_dur=1', ...end, out])
  } else {
    const codecs = '-c:v h263 -b:v 120k -r 12 -c:a libopencore_amrnb -b:a 12.2k -ar 8000 -ac 1'.split(' ')
    const end = ['-t', seconds, ...'-map_metadata -1 -f 3gp'.split(' ')]
    ffmpegAmr([...input, '-vf', pan('176:144'), ...codecs, '-af', 'apad', ...end, out])
  }
}

/** What a phone sends when diagnostics are asked for; device and values are invented. */
const diagnostics = {
  bundle_version: 1,
  app: { name: 'recorder', version: '4.12.0', build: 4120 },
  device: {
    manufacturer: 'Example',
    model: 'EX-20',
    os: 'Android 15',
    free_bytes: 18_253_611_008,
    battery_percent: 71,
  },
  queue: {
    waiting: 3,
    sealed: 3,
    announced: 1,
    oldest_recorded_at: 1_794_471_910,
    last_upload_at: 1_794_475_102,
  },
  permissions: { microphone: true, phone: true, sms: true, location: 'while_in_use', notifications: true },
  network: { type: 'lte', roaming: false, carrier_name: 'Example Mobile' },
  log: [
    [1_794_475_010, 'info', 'upload started', { payload_type: 'Call', size: 61_220 }],
    [1_794_475_031, 'warn', 'connection lost, retry in 30 s', { attempt: 1 }],
    [1_794_475_063, 'info', 'upload resumed', { attempt: 2 }],
    [1_794_475_102, 'info', 'upload accepted', { state: 'Uploaded' }],
    [1_794_475_140, 'info', 'local copy freed', { state: 'Processed' }],
  ],
}

const scratch = mkdtempSync(path.join(tmpdir(), 'make-media-'))
const at = (file: string) => path.join(media_folder, file)
const files: Record<string, unknown>[] = []
const add = (entry: { file: string } & Record<string, unknown>) =>
  files.push({ ...entry, size: statSync(at(entry.file)).size })

function record(kind: 'call' | 'interview', conversation: Conversation) {
  const { file, encoding, channels, language, title } = conversation
  const wav = path.join(scratch, `${kind}.wav`)
  const mutex = recordCall(conversation, wav, scratch)
  const content_type = encodeAudio(wav, at(file), encoding, channels)
  const pauses = mutex.slice(1).flatMap((turn, i) => {
    const before = mutex[i]!
    const end = Math.round((before.start + before.duration) * 100) / 100
    return turn.start - end >= 1 ? [[end, turn.start]] : []
  })
  add({ file, kind, language, content_type, duration: duration(at(file)), channels, title, mutex, pauses })
}

for (const folder of ['calls', 'interviews', 'photos', 'videos', 'mms', 'diagnostics'])
  mkdirSync(at(folder), { recursive: true })
for (const call of calls) record('call', call)
for (const interview of interviews) record('interview', interview)
for (const picture of pictures) {
  const { file, kind, title, width, height } = picture
  drawPicture(picture, at(file), scratch)
  add({
    file,
    kind,
    language: kind === 'mms' ? 'pt-BR' : 'en',
    content_type: 'image/jpeg',
    title,
    width,
    height,
  })
}
for (const video of videos) {
  const { file, title, content_type, says } = video
  film(video, scratch)
  const { language, text } = narrations[says]
  const mutex = [{ who: 'staff', text, start: 0, duration: duration(at(file)) - 1 }]
  add({ file, kind: 'video', language, content_type, duration: duration(at(file)), title, mutex })
}
writeFileSync(at('diagnostics/diagnostics.json'), `${JSON.stringify(diagnostics, undefined, 2)}\n`)
add({
  file: 'diagnostics/diagnostics.json',
  kind: 'diagnostics',
  language: 'en',
  content_type: 'application/json',
  title: 'Diagnostics bundle of a phone',
})
for (const format of makeFormats(scratch)) {
  const timed = /^(audio|video)/.test(format.content_type) ? { duration: duration(at(format.file)) } : {}
  add({ kind: 'format', language: 'en', title: path.basename(format.file), ...format, ...timed })
}
writeFileSync(at('manifest.json'), `${JSON.stringify({ files }, undefined, 2)}\n`)
rmSync(scratch, { recursive: true })
