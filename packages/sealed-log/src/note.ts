import { concat, equal, fromBase64, fromHex, type Sha256, toBase64, toHex, utf8 } from './bytes.ts'

/** Signature algorithms by the byte that stands for them. ML-DSA-44 gets a row here once it signs. */
export const ALGORITHMS = { Ed25519: 1 } as const
export type Algorithm = keyof typeof ALGORITHMS

/** A public key that verifies notes. */
export interface NoteKey {
  name: string
  algorithm: Algorithm
  public_key: Uint8Array
}

/** The name of an account's log. */
export const getOrigin = (client: string): string => `custodia/${client}`

/** The four bytes that name a key in signatures. */
export const keyHash = (sha256: Sha256, { name, algorithm, public_key }: NoteKey): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(ALGORITHMS[algorithm]), public_key)).slice(0, 4)

/** A key as text: `<name>+<hash>+<algorithm and key>`. */
export const formatKey = (sha256: Sha256, key: NoteKey): string =>
  `${key.name}+${toHex(keyHash(sha256, key))}+${toBase64(concat(Uint8Array.of(ALGORITHMS[key.algorithm]), key.public_key))}`

/** The key of a text; undefined when it is none, or its hash is another one. */
export function parseKey(sha256: Sha256, text: string): NoteKey | undefined {
  const [, name = '', hash = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? []
  const bytes = fromBase64(encoded)
  if (name === '' || bytes?.[0] !== ALGORITHMS.Ed25519 || bytes.length !== 33) return undefined
  const key: NoteKey = { name, algorithm: 'Ed25519', public_key: bytes.slice(1) }
  return equal(keyHash(sha256, key), fromHex(hash) ?? new Uint8Array()) ? key : undefined
}

/** DER of a public Ed25519 key, before its 32 bytes. */
export const ED25519_SPKI = fromHex('302a300506032b6570032100') ?? utf8('')

/** The keys of a text: that of a log, or public keys (PEM), which are for all logs and so for `origin`. */
export function keysIn(sha256: Sha256, text: string, origin: string): NoteKey[] {
  const key = parseKey(sha256, text.trim())
  if (key) return [key]
  const pems = text.matchAll(/-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/g)
  return [...pems].flatMap(([, body = '']) => {
    const der = fromBase64(body.replaceAll(/\s|\\n/g, '')) ?? utf8('')
    const public_key = der.slice(ED25519_SPKI.length)
    const isKey = public_key.length === 32 && equal(der, concat(ED25519_SPKI, public_key))
    return isKey ? [{ name: origin, algorithm: 'Ed25519' as const, public_key }] : []
  })
}

/** Whether a signature of Ed25519 is good. */
export type VerifyEd25519 = (public_key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

/** The text of a note that one of the keys signed; undefined otherwise. Signatures of unknown keys are skipped. */
export function openNote(
  sha256: Sha256,
  verify: VerifyEd25519,
  note: string,
  keys: readonly NoteKey[],
): string | undefined {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  const known: { key: NoteKey; signature: Uint8Array }[] = []
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name = '', encoded = ''] = /^— ([^+\s]+) (\S+)$/u.exec(line) ?? []
    const bytes = fromBase64(encoded)
    if (name === '' || !bytes || bytes.length <= 4) return undefined
    const [hash, signature] = [bytes.slice(0, 4), bytes.slice(4)]
    for (const key of keys)
      if (key.name === name && equal(keyHash(sha256, key), hash)) known.push({ key, signature })
  }
  // A signature of a known key that is not good spoils the note.
  const isGood =
    known.length > 0 && known.every(({ key, signature }) => verify(key.public_key, utf8(text), signature))
  return isGood ? text : undefined
}

/** A checkpoint as it was signed, from the text of a mail or a file with other line breaks. */
export function checkpointIn(text: string): string {
  const plain = text.replaceAll('\r\n', '\n')
  return `${plain.slice(Math.max(0, plain.search(/^custodia\/.*\n\d+\n/m))).trimEnd()}\n`
}

/** The head of a log (C2SP tlog-checkpoint): its name, how many entries it has, and the root hash of their tree. */
export interface Checkpoint {
  origin: string
  size: number
  root: Uint8Array
}

/** The checkpoint of a text; undefined for another text. Further lines are skipped. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, origin = '', digits = '', encoded = ''] = /^([^\n]+)\n(0|[1-9]\d*)\n([^\n]+)\n/.exec(text) ?? []
  const [size, root] = [Number(digits), fromBase64(encoded)]
  if (origin === '' || !Number.isSafeInteger(size) || root?.length !== 32) return undefined
  return { origin, size, root }
}
