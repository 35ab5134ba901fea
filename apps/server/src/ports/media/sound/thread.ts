/** Runs in its own thread: all parsing and decoding of a recording. */
import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { MediaError, type Probe, type SniffedType, soundOnly } from '../port.ts'
import { Reader } from '../reader.ts'
import { decodeAmrTrack, decodeRawAmr, isAmr } from './amr.ts'
import { type Mp4Track, mp4Tracks } from './mp4-tracks.ts'
import type { FromThread, Task, ToThread } from './open-sound.ts'
import { decodeOpus } from './opus.ts'
import { decodeMp3, listen, type Pcm } from './pcm.ts'
import { decodeWav, wavSound } from './wav.ts'

/** A damaged recording causes a few decoder warnings; a decoder that never stops is ended. */
const MAX_WARNINGS = 1000

const port = parentPort!
const { size, sniffed, media_seconds } = workerData as Task
const send = (message: FromThread) => port.postMessage(message)

/** The next message. There is one request at a time, so it is the response. */
const toResponse = () => new Promise<ToThread>((resolve) => port.once('message', resolve))

async function ask(start: number, end: number): Promise<Buffer> {
  send({ kind: 'read', start, end })
  const answer = await toResponse()
  if (answer.kind !== 'bytes' || answer.bytes.length !== end - start)
    throw new Error('other bytes than asked for')
  return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength)
}

async function work(): Promise<void> {
  const { probe, sound } = await identifySound(new Reader(size, ask), sniffed)
  send({ kind: 'identified', probe, is_heard: sound !== undefined })
  const order = await toResponse()
  if (order.kind !== 'listen' || !sound) throw new Error('no sound to decode')
  const onMp3 = (bytes: Uint8Array) => {
    if (bytes.length > 0) send({ kind: 'mp3', bytes })
  }
  send({ kind: 'drawn', drawn: await listen(sound(), media_seconds, order.renders ? onMp3 : undefined) })
}

// The decoders log damage to the console, which could quote it; also inside their loops, so this can end
// them.
let warnings = 0
const onWarning = () => {
  if (++warnings > MAX_WARNINGS) throw new MediaError('corrupt', 'the data cannot be decoded')
}
Object.assign(console, { log: onWarning, warn: onWarning, error: onWarning })
// On Linux each thread has its own priority: requests come before processing.
if (process.platform === 'linux') os.setPriority(10)

await work().catch((error: unknown) => {
  // Any error of a decoder (a trap of WebAssembly, a refused view) comes from the recording.
  const known = error instanceof MediaError ? error : new MediaError('corrupt', 'the data cannot be decoded')
  send({ kind: 'failed', code: known.code, message: known.message })
})

/** The facts of a recording, and its decoder when one is built in. It decodes from the start. */
interface IdentifiedSound {
  probe: Probe
  sound: (() => AsyncIterable<Pcm>) | undefined
}

/**
 * Detects the content of a format with a built-in reader, without ffprobe. Channels and rate are 0 when only
 * decoding finds them. Throws MediaError `corrupt` or `unsupported`.
 */
async function identifySound(reader: Reader, sniffed: SniffedType): Promise<IdentifiedSound> {
  const { content_type, container, codec } = sniffed
  if (container === 'mp4') return identifyMp4(reader, sniffed, await mp4Tracks(reader))
  if (container === 'wav') {
    const { duration, ...sound } = await wavSound(reader)
    const audio = { codec: sound.codec, channels: sound.channels, sample_rate: sound.sample_rate }
    return { probe: { content_type, container, duration, audio }, sound: () => decodeWav(reader, sound) }
  }
  const heard = (codec: string, sound: IdentifiedSound['sound']): IdentifiedSound => ({
    probe: { content_type, container, audio: { codec, channels: 0, sample_rate: 0 } },
    sound,
  })
  if (isAmr(codec)) return heard(codec, () => decodeRawAmr(reader, codec))
  if (container === 'mp3') return heard('mp3', () => decodeMp3(reader))
  if (codec === 'opus') return heard(codec, () => decodeOpus(reader))
  throw new MediaError('unsupported', `${container} has no reader`)
}

function identifyMp4(
  reader: Reader,
  { content_type, container }: SniffedType,
  tracks: Mp4Track[],
): IdentifiedSound {
  const audio = tracks.find(({ kind }) => kind === 'audio')
  const video = tracks.find(({ kind }) => kind === 'video')
  if (!audio && !video) throw new MediaError('corrupt', 'neither sound nor picture')
  const probe: Probe = {
    content_type: video ? content_type : soundOnly(content_type),
    container,
    duration: Math.max(...tracks.map(({ duration }) => duration)),
    ...(audio && { audio: { codec: audio.codec, channels: 0, sample_rate: 0 } }),
    ...(video && { video: { codec: video.codec, width: video.width, height: video.height } }),
  }
  if (!audio?.tables || video || !isAmr(audio.codec)) return { probe, sound: undefined }
  const { codec, tables, delay } = audio
  return { probe, sound: () => decodeAmrTrack(reader, codec, tables, delay) }
}
