/** Makes everything below `tools/simulator/media/`. Run by hand, see README.md; the results are committed. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { calls, interviews, narrations, type Conversation } from './conversations.ts'
import { encodeAudio } from './encode.ts'
import { makeFormats } from './formats.ts'
import { drawPicture, pictures } from './pictures.ts'
import { duration, media_folder } from './run.ts'
import { recordCall } from './speech.ts'
import { film, videos } from './videos.ts'

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
