import type { Container, SniffedType } from './port.ts'

// `file-type` 22 tells neither AMR-WB from AMR nor the codec of a WAV file, so it would replace little of this file.

/** The brands of an ISO base media file (ISO/IEC 14496-12), the major one first; undefined when it is none. */
function isobmffBrands(head: Buffer): string[] | undefined {
  if (head.length < 12) return undefined
  const type = head.toString('latin1', 4, 8)
  // Old QuickTime files have no `ftyp` and open with one of these.
  if (type === 'moov' || type === 'mdat' || type === 'wide') return ['qt  ']
  if (type !== 'ftyp') return undefined
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

const HEIC = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

function sniffBrands(brands: string[]): SniffedType {
  const major = brands[0] ?? ''
  if (major === 'avif' || major === 'avis')
    return { content_type: 'image/avif', container: 'heic', extension: 'avif' }
  if (HEIC.has(major)) return { content_type: 'image/heic', container: 'heic', extension: 'heic' }
  if (/^M4[ABP] $/.test(major)) return { content_type: 'audio/mp4', container: 'mp4', extension: 'm4a' }
  if (major === 'qt  ') return { content_type: 'video/quicktime', container: 'mp4', extension: 'mov' }
  if (major.startsWith('3g2')) return { content_type: 'video/3gpp2', container: 'mp4', extension: '3g2' }
  if (major.startsWith('3g')) return { content_type: 'video/3gpp', container: 'mp4', extension: '3gp' }
  return { content_type: 'video/mp4', container: 'mp4', extension: 'mp4' }
}

/** Bytes that `sniff` needs; fewer suffice for small files. */
export const SNIFF_SIZE = 4096

const found = (content_type: string, container: Container, extension: string, codec?: string): SniffedType =>
  codec === undefined ? { content_type, container, extension } : { content_type, container, extension, codec }

const starts = (head: Buffer, text: string, at = 0): boolean =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

/** The used WAVE format tags, in ffprobe's names. */
const WAVE_CODECS: Record<number, string> = {
  0x01: 'pcm_s16le',
  0x03: 'pcm_f32le',
  0x06: 'pcm_alaw',
  0x07: 'pcm_mulaw',
  0x11: 'adpcm_ima_wav',
  0x31: 'gsm_ms',
  0x55: 'mp3',
}

function wave(head: Buffer): SniffedType {
  const at = head.indexOf('fmt ', 12, 'latin1')
  const tag = at >= 12 && at + 10 <= head.length ? head.readUInt16LE(at + 8) : 0
  return found('audio/wav', 'wav', 'wav', WAVE_CODECS[tag])
}

function ogg(head: Buffer): SniffedType {
  if (head.includes('OpusHead', 0, 'latin1')) return found('audio/ogg', 'ogg', 'ogg', 'opus')
  if (head.includes('\x01vorbis', 0, 'latin1')) return found('audio/ogg', 'ogg', 'ogg', 'vorbis')
  if (head.includes('Speex   ', 0, 'latin1')) return found('audio/ogg', 'ogg', 'ogg', 'speex')
  return found('application/ogg', 'ogg', 'ogx')
}

/** An MPEG audio frame header, layer III (MP3) or, with layer 0, ADTS (AAC). */
function mpegFrame(head: Buffer): SniffedType | undefined {
  const [first = 0, second = 0, third = 0] = head
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  if ((second & 0xf6) === 0xf0 && (third & 0x3c) >> 2 < 13) return found('audio/aac', 'aac', 'aac', 'aac')
  const is_layer_3 = (second & 0x06) === 0x02 && (second & 0x18) !== 0x08
  const has_rates = third >> 4 !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c
  return is_layer_3 && has_rates ? found('audio/mpeg', 'mp3', 'mp3', 'mp3') : undefined
}

/**
 * Detects the format from the first bytes alone, never from names or announced types. The result chooses
 * ffmpeg's demuxer, so that no playlist or script runs (those are `text`).
 */
export function sniff(head: Buffer): SniffedType {
  if (starts(head, '#!AMR-WB\n')) return found('audio/amr-wb', 'amr', 'awb', 'amr_wb')
  if (starts(head, '#!AMR\n')) return found('audio/amr', 'amr', 'amr', 'amr_nb')
  const brands = isobmffBrands(head)
  if (brands) return sniffBrands(brands)
  if ((starts(head, 'RIFF') || starts(head, 'RF64')) && starts(head, 'WAVE', 8)) return wave(head)
  if (starts(head, 'RIFF') && starts(head, 'WEBP', 8)) return found('image/webp', 'webp', 'webp')
  if (starts(head, 'OggS')) return ogg(head)
  if (starts(head, 'fLaC')) return found('audio/flac', 'flac', 'flac', 'flac')
  if (starts(head, 'ID3')) return found('audio/mpeg', 'mp3', 'mp3', 'mp3')
  if (starts(head, '\x1a\x45\xdf\xa3')) {
    const is_webm = head.subarray(0, 64).includes('webm', 0, 'latin1')
    return is_webm ? found('video/webm', 'webm', 'webm') : found('video/x-matroska', 'matroska', 'mkv')
  }
  if (starts(head, '\xff\xd8\xff')) return found('image/jpeg', 'jpeg', 'jpg')
  if (starts(head, '\x89PNG\r\n\x1a\n')) return found('image/png', 'png', 'png')
  if (starts(head, 'GIF87a') || starts(head, 'GIF89a')) return found('image/gif', 'gif', 'gif')
  if (starts(head, 'PK\x03\x04') || starts(head, 'PK\x05\x06')) return found('application/zip', 'zip', 'zip')
  if (starts(head, '\x1f\x8b')) return found('application/gzip', 'unknown', 'gz')
  if (starts(head, 'ustar', 257)) return found('application/x-tar', 'unknown', 'tar')
  const frame = mpegFrame(head)
  if (frame) return frame
  if (looksLikeJson(head)) return found('application/json', 'json', 'json')
  if (looksLikeText(head)) return found('text/plain; charset=utf-8', 'text', 'txt')
  return found('application/octet-stream', 'unknown', 'bin')
}

/** True when the bytes are UTF-8 without control characters; the last character may be cut off. */
function looksLikeText(head: Buffer): boolean {
  if (head.length === 0) return false
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    // oxlint-disable-next-line no-control-regex
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)
  } catch {
    return false
  }
}

/** True when text begins like a JSON object or array. */
function looksLikeJson(head: Buffer): boolean {
  if (!looksLikeText(head)) return false
  return /^\uFEFF?\s*(\{\s*("|\}|$)|\[\s*([[\]{"\d\-tfn]|$))/.test(head.toString('utf8'))
}
