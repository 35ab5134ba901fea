import { MediaError, type Probe, type Sniffed } from '../port.ts'
import { soundOnly } from '../sound-only.ts'
import { type Amr, isAmr } from './amr-frames.ts'
import type { Blocks } from './blocks.ts'
import { type Mp4Track, mp4Tracks } from './mp4-tracks.ts'
import type { Pcm } from './pcm.ts'
import { decodeWav, wavSound } from './wav.ts'

/** Decodes from the start. Loads its decoder only then: most recordings need none or one. */
type Sound = () => Promise<AsyncIterable<Pcm>>

/** The facts of a recording, and its sound when a decoder is built in. */
export interface Identified {
  probe: Probe
  sound: Sound | undefined
}

/**
 * Detects the content of a format with a built-in reader, without ffprobe. Channels and rate are 0 when only
 * decoding finds them. Throws MediaError `corrupt` or `unsupported`.
 */
export async function identifySound(blocks: Blocks, sniffed: Sniffed): Promise<Identified> {
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
