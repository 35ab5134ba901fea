import { MediaError } from '../port.ts'
import type { Reader } from '../reader.ts'
import type { Pcm } from './pcm.ts'

/** Sample formats of a WAV file, in ffprobe's names. */
const CODECS = {
  pcm_u8: { width: 1, read: (data: Buffer, at: number) => (data[at]! - 128) / 128 },
  pcm_s16le: { width: 2, read: (data: Buffer, at: number) => data.readInt16LE(at) / 2 ** 15 },
  pcm_s24le: { width: 3, read: (data: Buffer, at: number) => data.readIntLE(at, 3) / 2 ** 23 },
  pcm_s32le: { width: 4, read: (data: Buffer, at: number) => data.readInt32LE(at) / 2 ** 31 },
  pcm_f32le: { width: 4, read: (data: Buffer, at: number) => data.readFloatLE(at) },
  pcm_alaw: { width: 1, read: (data: Buffer, at: number) => ofALaw(data[at]!) },
  pcm_mulaw: { width: 1, read: (data: Buffer, at: number) => ofMuLaw(data[at]!) },
} as const
type WavCodec = keyof typeof CODECS

/** The position and format of the samples. */
export interface WavSound {
  codec: WavCodec
  channels: 1 | 2
  sample_rate: number
  /** Seconds. */
  duration: number
  body: number
  end: number
}

/** ITU-T G.711. */
function ofALaw(byte: number): number {
  const value = byte ^ 0x55
  const [exponent, mantissa] = [(value >> 4) & 7, value & 15]
  const magnitude = exponent === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (exponent - 1)
  return (value & 0x80 ? magnitude : -magnitude) / 2 ** 15
}

function ofMuLaw(byte: number): number {
  const value = ~byte & 0xff
  const magnitude = ((((value & 15) << 3) + 0x84) << ((value >> 4) & 7)) - 0x84
  return (value & 0x80 ? -magnitude : magnitude) / 2 ** 15
}

const EXTENSIBLE = 0xfffe

function getCodec(format: Buffer): WavCodec | undefined {
  const tag = format.readUInt16LE(0)
  const kind = tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag
  const bits = format.readUInt16LE(14)
  if (kind === 1) return ({ 8: 'pcm_u8', 16: 'pcm_s16le', 24: 'pcm_s24le', 32: 'pcm_s32le' } as const)[bits]
  if (kind === 3 && bits === 32) return 'pcm_f32le'
  if (kind === 6 && bits === 8) return 'pcm_alaw'
  return kind === 7 && bits === 8 ? 'pcm_mulaw' : undefined
}

/** Most parts: more than any recorder writes. */
const MAX_PARTS = 1000

/**
 * Finds the samples. Throws MediaError: `unsupported` for other codecs and more than two channels, `corrupt`
 * without samples.
 */
export async function wavSound(reader: Reader): Promise<WavSound> {
  let format: Buffer | undefined
  for (let part = 0, at = 12; part < MAX_PARTS && at + 8 <= reader.size; part++) {
    const head = await reader.bytes(at, 8)
    const [name, size, body] = [head.toString('latin1', 0, 4), head.readUInt32LE(4), at + 8]
    if (name === 'fmt ' && size >= 16) format = await reader.bytes(body, Math.min(size, 40))
    if (name === 'data' && format) return getSound(format, body, Math.min(body + size, reader.size))
    // Parts are at even positions.
    at = body + size + (size & 1)
  }
  throw new MediaError('corrupt', 'no samples')
}

function getSound(format: Buffer, body: number, end: number): WavSound {
  const codec = format.length >= 16 ? getCodec(format) : undefined
  const channels = codec && format.readUInt16LE(2)
  const sample_rate = codec ? format.readUInt32LE(4) : 0
  if (!codec || (channels !== 1 && channels !== 2) || sample_rate < 4000 || sample_rate > 192_000)
    throw new MediaError('unsupported', 'samples of another kind')
  const duration = Math.floor((end - body) / CODECS[codec].width / channels) / sample_rate
  return { codec, channels, sample_rate, duration, body, end }
}

/** Frames of samples per read. */
const BATCH = 4096

/** Decodes the samples. */
export async function* decodeWav(reader: Reader, sound: Omit<WavSound, 'duration'>): AsyncGenerator<Pcm> {
  const { codec, channels, sample_rate, body, end } = sound
  const { width, read } = CODECS[codec]
  const frame = width * channels
  for (let at = body; at + frame <= end; at += BATCH * frame) {
    const data = await reader.bytes(at, Math.min(BATCH * frame, end - at))
    const count = Math.floor(data.length / frame)
    const samples = Array.from({ length: channels }, (_, channel) =>
      Float32Array.from({ length: count }, (_, i) => read(data, i * frame + channel * width)),
    )
    yield { sample_rate, samples }
  }
}
