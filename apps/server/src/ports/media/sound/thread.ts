/** Runs in its own thread: all parsing and decoding of a recording. */
import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { MediaError, type Probe, type Sniffed } from '../port.ts'
import { Blocks } from './cursor.ts'
import type { Pcm } from './amr.ts'
import { listen } from './listen.ts'
import type { FromThread, Task, ToThread } from './messages.ts'
import { soundOnly } from '../sound-only.ts'
import { type Amr, isAmr, type Mp4Track, mp4Tracks } from './mp4-tracks.ts'
import { decodeWav, wavSound } from './wav.ts'

/** A damaged recording causes a few decoder warnings; a decoder that never stops is ended. */
const MOST_COMPLAINTS = 1000

const port = parentPort!
const { size, sniffed, media_seconds } = workerData as Task
const say = (message: FromThread) => port.postMessage(message)

/** The next message. There is one request at a time, so it is the response. */
const toResponse = () => new Promise<ToThread>((resolve) => port.once('message', resolve))

async function ask(start: number, end: number): Promise<Buffer> {
  say({ says: 'read', start, end })
  const answer = await toResponse()
  if (answer.says !== 'bytes' || answer.bytes.length !== end - start)
    throw new Error('other bytes than asked for')
  return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength)
}

async function work(): Promise<void> {
  const { probe, sound } = await identifySound(new Blocks(size, ask), sniffed)
  say({ says: 'recognised', probe, is_heard: sound !== undefined })
  const order = await toResponse()
  if (order.says !== 'listen' || !sound) throw new Error('no sound to decode')
  const onMp3 = (bytes: Uint8Array) => {
    if (bytes.length > 0) say({ says: 'mp3', bytes })
  }
  say({
    says: 'drawn',
    drawn: await listen(await sound(), media_seconds, order.renders ? onMp3 : undefined),
  })
}

// The decoders log damage to the console, which could quote it; also inside their loops, so this can end
// them.
let complaints = 0
const complain = () => {
  if (++complaints > MOST_COMPLAINTS) throw new MediaError('corrupt', 'the data cannot be decoded')
}
Object.assign(console, { log: complain, warn: complain, error: complain })
// On Linux each thread has its own priority: requests come before processing.
if (process.platform === 'linux') os.setPriority(10)

await work().catch((error: unknown) => {
  // Any error of a decoder (a trap of WebAssembly, a refused view) comes from the recording.
  const known = error instanceof MediaError ? error : new MediaError('corrupt', 'the data cannot be decoded')
  say({ says: 'failed', code: known.code, message: known.message })
})

/** Decodes from the start. Loads its decoder only then: most recordings need none or one. */
type Sound = () => Promise<AsyncIterable<Pcm>>

/** The facts of a recording, and its sound when a decoder is built in. */
interface Identified {
  probe: Probe
  sound: Sound | undefined
}

/**
 * Detects the content of a format with a built-in reader, without ffprobe. Channels and rate are 0 when only
 * decoding finds them. Throws MediaError `corrupt` or `unsupported`.
 */
async function identifySound(blocks: Blocks, sniffed: Sniffed): Promise<Identified> {
  const { content_type, container, codec } = sniffed
  if (container === 'mp4') return recogniseMp4(blocks, sniffed, await mp4Tracks(blocks))
  if (container === 'wav') {
    const { duration, ...sound } = await wavSound(blocks)
    const audio = { codec: sound.codec, channels: sound.channels, sample_rate: sound.sample_rate }
    return {
      probe: { content_type, container, duration, audio },
      sound: async () => decodeWav(blocks, sound),
    }
  }
  const heard = (codec: string, sound: Sound): Identified => ({
    probe: { content_type, container, audio: { codec, channels: 0, sample_rate: 0 } },
    sound,
  })
  if (isAmr(codec)) return heard(codec, async () => (await import('./amr.ts')).decodeRawAmr(blocks, codec))
  if (container === 'mp3') return heard('mp3', async () => (await import('./mp3.ts')).decodeMp3(blocks))
  if (codec === 'opus') return heard(codec, async () => (await import('./opus.ts')).decodeOpus(blocks))
  throw new MediaError('unsupported', `${container} has no reader`)
}

function recogniseMp4(blocks: Blocks, { content_type, container }: Sniffed, tracks: Mp4Track[]): Identified {
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
  const is_heard = audio && !video && isAmr(audio.codec)
  return { probe, sound: is_heard ? soundOfTrack(blocks, audio.codec as Amr, audio) : undefined }
}

function soundOfTrack(blocks: Blocks, codec: Amr, { tables, delay }: Mp4Track): Sound | undefined {
  return tables && (async () => (await import('./amr.ts')).decodeAmrTrack(blocks, codec, tables, delay))
}
