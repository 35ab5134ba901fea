const longestKey = 900
/** Nearly all segments need no escaping. */
const PLAIN = /^[A-Za-z0-9_-]+$/
// A file name has at most 255 bytes, our extension included.
const longestSegment = 240

/**
 * Object keys are `/`-separated segments such as `client/payload_reference/original-<sha256>`. Throws
 * RangeError on ambiguous or dangerous keys: empty, `.` and `..` segments, control characters, broken
 * Unicode, escaped segments over 240 characters, keys over 900 bytes (S3 ends at 1024).
 */
export function assertObjectKey(key: string): void {
  if (key === '' || Buffer.byteLength(key) > longestKey)
    throw new RangeError('object key is empty or too long')
  for (const segment of key.split('/')) assertSegment(segment)
}

/** A list prefix: empty, or the start of a valid key, which may end inside a segment or with `/`. */
export function assertPrefix(prefix: string): void {
  if (prefix === '') return
  assertObjectKey(/[/.]$/.test(prefix) ? `${prefix}x` : prefix)
}

function assertSegment(segment: string): void {
  const bad =
    segment === '' ||
    segment === '.' ||
    segment === '..' ||
    !segment.isWellFormed() ||
    encodeSegment(segment).length > longestSegment ||
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f\\]/.test(segment)
  if (bad) throw new RangeError(`object key has a forbidden segment: ${JSON.stringify(segment.slice(0, 40))}`)
}

/**
 * A segment as a portable file name: letters, digits, `_` and `-` stay, every other byte becomes `%XX`. Never
 * contains a dot.
 */
export function encodeSegment(segment: string): string {
  if (PLAIN.test(segment)) return segment
  return Array.from(segment, (char) =>
    /^[A-Za-z0-9_-]$/.test(char)
      ? char
      : Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
          '',
        ),
  ).join('')
}

/** The inverse of encodeSegment; undefined for a foreign file name. */
export function decodeSegment(name: string): string | undefined {
  if (PLAIN.test(name)) return name
  try {
    const segment = decodeURIComponent(name)
    return encodeSegment(segment) === name ? segment : undefined
  } catch {
    return undefined
  }
}
