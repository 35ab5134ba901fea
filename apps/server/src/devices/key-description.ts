import type { X509Certificate } from 'node:crypto'

/** An Android key attestation (source.android.com, "Key and ID attestation"). */
export interface KeyDescription {
  /** Whether the statement and the key are from a trusted environment or a secure element. */
  is_hardware: boolean
  challenge: Buffer
}

/** One DER element and its end. */
interface Element {
  tag: number
  content: Buffer
  end: number
}

const [INTEGER, OCTETS, OID, ENUMERATED, SEQUENCE, EXTENSIONS] = [0x02, 0x04, 0x06, 0x0a, 0x30, 0xa3]
/** 1.3.6.1.4.1.11129.2.1.17 */
const KEY_DESCRIPTION = Buffer.from('2b06010401d679020111', 'hex')
/** 0 is software. */
const HARDWARE_LEVELS = [1, 2]

/** Key description of a certificate; undefined without one. Throws when it is unreadable. */
export function keyDescriptionOf(certificate: X509Certificate): KeyDescription | undefined {
  const [signed] = elementsOf(only(readElement(certificate.raw, 0), SEQUENCE))
  const fields = elementsOf(only(signed, SEQUENCE))
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS)
  if (!extensions) return undefined
  const all = elementsOf(only(readElement(extensions.content, 0), SEQUENCE))
  const found = all.map((each) => elementsOf(only(each, SEQUENCE))).filter(([name]) => isStatement(name))
  if (found.length > 1) throw new Error('a certificate contains two key descriptions')
  const value = found[0]?.at(-1)
  return value && readStatement(only(value, OCTETS))
}

const isStatement = (name: Element | undefined) => only(name, OID).equals(KEY_DESCRIPTION)

/** Fields: attestation version and level, KeyMint version and level, challenge, others. */
function readStatement(bytes: Buffer): KeyDescription {
  const [version, level, keeper, keeper_level, challenge] = elementsOf(only(readElement(bytes, 0), SEQUENCE))
  for (const each of [version, keeper]) only(each, INTEGER)
  const levels = [level, keeper_level].map((each) => only(each, ENUMERATED))
  return {
    is_hardware: levels.every((each) => each.length === 1 && HARDWARE_LEVELS.includes(each[0] ?? 0)),
    challenge: only(challenge, OCTETS),
  }
}

function only(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new Error('unexpected DER element')
  return element.content
}

function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const element = readElement(bytes, at)
    elements.push(element)
    at = element.end
  }
  return elements
}

/** Supports definite lengths of up to four bytes and one-byte tags; longer tags are not needed here. */
function readElement(bytes: Buffer, start: number): Element {
  const tag = byteAt(bytes, start)
  let at = start + 1
  if ((tag & 0x1f) === 0x1f) while (byteAt(bytes, at++) & 0x80);
  const first = byteAt(bytes, at++)
  let length = first
  if (first & 0x80) {
    const size = first & 0x7f
    if (size < 1 || size > 4 || at + size > bytes.length) throw new Error('no length')
    length = bytes.readUIntBE(at, size)
    at += size
  }
  const end = at + length
  if (end > bytes.length) throw new Error('a DER element is truncated')
  return { tag, content: bytes.subarray(at, end), end }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new Error('a DER element is truncated')
  return byte
}
