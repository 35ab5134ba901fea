import { concat, equal, fromBase64, fromHex, type Sha256, toBase64, toHex, utf8 } from './bytes.ts'
import { type Checkpoint, keyHash, type NoteKey, type VerifyEd25519 } from './note.ts'

// What signers write: notes and checkpoints, and cosignatures of witnesses as C2SP tlog-cosignature defines them: Ed25519 over the time and the text of a checkpoint.

/** The note (C2SP signed-note) of a text that ends with a line break, after an empty line its signatures. */
export const formatNote = (sha256: Sha256, text: string, key: NoteKey, signature: Uint8Array): string =>
  `${text}\n— ${key.name} ${toBase64(concat(keyHash(sha256, key), signature))}\n`

/** The text of a checkpoint, to be signed. */
export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`

/** The byte that stands for timestamped Ed25519 cosignatures. */
const COSIGNATURE = 4

/** The public key of a witness. */
export interface WitnessKey {
  name: string
  public_key: Uint8Array
}

const getHash = (sha256: Sha256, { name, public_key }: WitnessKey): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(COSIGNATURE), public_key)).slice(0, 4)

/** A witness's key as text: `<name>+<hash>+<algorithm and key>`. */
export const formatWitnessKey = (sha256: Sha256, key: WitnessKey): string =>
  `${key.name}+${toHex(getHash(sha256, key))}+${toBase64(concat(Uint8Array.of(COSIGNATURE), key.public_key))}`

/** The witness's key of a text; undefined when it is none, or its hash is another one. */
export function parseWitnessKey(sha256: Sha256, text: string): WitnessKey | undefined {
  const [, name = '', hash = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? []
  const bytes = fromBase64(encoded)
  if (name === '' || bytes?.[0] !== COSIGNATURE || bytes.length !== 33) return undefined
  const key = { name, public_key: bytes.slice(1) }
  return equal(getHash(sha256, key), fromHex(hash) ?? new Uint8Array()) ? key : undefined
}

/** What a witness signs: a time in epoch seconds and the text of a checkpoint. */
export const cosignedText = (time: number, text: string): Uint8Array =>
  utf8(`cosignature/v1\ntime ${time}\n${text}`)

/** The line of a cosignature. */
export function formatCosignature(
  sha256: Sha256,
  key: WitnessKey,
  time: number,
  signature: Uint8Array,
): string {
  const at = new Uint8Array(8)
  new DataView(at.buffer).setBigUint64(0, BigInt(time))
  return `— ${key.name} ${toBase64(concat(getHash(sha256, key), at, signature))}\n`
}

/** Epoch seconds at which the witness signed the text; undefined when no line is its good signature. */
export function openCosignature(
  { sha256, verify }: { sha256: Sha256; verify: VerifyEd25519 },
  key: WitnessKey,
  text: string,
  lines: string,
): number | undefined {
  for (const line of lines.split('\n')) {
    const [, name, encoded = ''] = /^— ([^+\s]+) (\S+)$/u.exec(line) ?? []
    const bytes = fromBase64(encoded)
    if (name !== key.name || bytes?.length !== 76 || !equal(bytes.slice(0, 4), getHash(sha256, key))) continue
    const time = Number(new DataView(bytes.slice(4, 12).buffer).getBigUint64(0))
    if (verify(key.public_key, cosignedText(time, text), bytes.slice(12))) return time
  }
  return undefined
}
