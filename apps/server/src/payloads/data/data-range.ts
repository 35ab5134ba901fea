/** Bytes [start, end) of the response. */
export interface AnswerRange {
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
