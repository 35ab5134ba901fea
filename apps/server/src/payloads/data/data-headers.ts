/** File name extensions by content type; others are `.bin`. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/x-tar': 'tar',
  'application/zip': 'zip',
  'audio/3gpp': '3gp',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/amr-wb': 'awb',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'audio/x-wav': 'wav',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/plain': 'txt',
  'video/3gpp': '3gp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}
const CONTENT_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/
/** Types that pages show inline; browsers save all others, whatever type the device announced. */
const INLINE = /^(?:audio|video)\/|^image\/(?!svg)|^text\/plain$/

const getType = ({ content_type }: { content_type: string }): string =>
  CONTENT_TYPE.test(content_type) ? content_type.toLowerCase() : 'application/octet-stream'

/** File name extension for a content type. */
export const getFileEnding = (object: { content_type: string }): string => ENDINGS[getType(object)] ?? 'bin'

/** The file name of downloaded bytes. */
export function getFileName(object: {
  content_type: string
  payload_reference: string
  kind: string
}): string {
  const suffix = object.kind.startsWith('attachment-') ? `-${object.kind}` : ''
  return `${object.payload_reference}${suffix}.${getFileEnding(object)}`.replace(/[^\w.-]/g, '_')
}

/** Headers of recorded bytes: no caching, no type guessing, no execution, no embedding by other sites. */
export function dataHeaders(object: {
  content_type: string
  payload_reference: string
  kind: string
  action: string
}): Record<string, string> {
  const type = getType(object)
  const name = getFileName(object)
  const disposition = object.action === 'payloads:play' && INLINE.test(type) ? 'inline' : 'attachment'
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': `${disposition}; filename="${name}"`,
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': type,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

/** Bytes [start, end) of the response. */
interface AnswerRange {
  start: number
  end: number
  /** Whether the status is 206 instead of 200. */
  is_partial: boolean
}

/**
 * Parses a Range header for `size` bytes (RFC 9110, sections 14.1 and 14.2). Undefined: not satisfiable.
 * Anything but a single byte range is ignored, as the RFC allows, and gets the whole.
 */
export function readRange(header: string | undefined, size: number): AnswerRange | undefined {
  const whole = { start: 0, end: size, is_partial: false }
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return whole
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? undefined : { start: size - length, end: size, is_partial: true }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return whole
  if (start >= size) return undefined
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size), is_partial: true }
}
