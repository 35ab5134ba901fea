/**
 * Strict base64 (RFC 4648 section 4, padded). Undefined for anything else: Node's own decoder skips foreign characters, which
 * would let one value be written in many ways.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
