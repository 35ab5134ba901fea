import type { LogFault } from '@custodia/contract'
import {
  checkpointIn,
  type Crypto,
  keysIn,
  openNote,
  parseCheckpoint,
  type Verdict,
  verifyFile,
} from '@custodia/sealed-log'
import { sha256 } from '@noble/hashes/sha2.js'

type Signature = Parameters<Crypto['verify']>

/**
 * Verifies a sealed log, a proof or a checkpoint as `custodia-verify.mjs` does. Browsers verify signatures
 * asynchronously, so each counts as good first and is verified at the end.
 */
export async function verifySealed(
  file: Blob,
  keys: readonly string[],
  checkpoints: readonly string[],
): Promise<Verdict> {
  const signatures: Signature[] = []
  const verify = (...signature: Signature) => signatures.push(signature) > 0
  const text = await file.text()
  const verdict = text.startsWith('{')
    ? await verifyFile({ sha256, verify }, text.split('\n'), { keys, checkpoints })
    : verdictOn(checkpointIn(text), keys, verify)
  for (const [key, message, signature] of signatures)
    if (!(await verifyEd25519(key, message, signature))) return faulty('checkpoint_unsigned')
  return verdict
}

/** A checkpoint alone: whether the key signed it. */
function verdictOn(text: string, keys: readonly string[], verify: Crypto['verify']): Verdict {
  const [first = ''] = text.split('\n')
  const known = keys.flatMap((key) => keysIn(sha256, key, first))
  const opened = openNote(sha256, verify, text, known)
  const checkpoint = opened === undefined ? undefined : parseCheckpoint(opened)
  if (!checkpoint) return faulty('checkpoint_unsigned')
  const { origin, size } = checkpoint
  if (!known.some(({ name }) => name === origin)) return faulty('checkpoint_of_other', origin)
  return { isGood: true, origin, size, entries: 0, disclosed: 0, checkpoints: 1, skipped: 0 }
}

const faulty = (code: LogFault['code'], origin = ''): Verdict => ({
  isGood: false,
  fault: { code, values: { checkpoint: 'newest', origin } },
})

/** Whether a signature of Ed25519 is good. */
export async function verifyEd25519(...[key, message, signature]: Signature): Promise<boolean> {
  const algorithm = { name: 'Ed25519' }
  const imported = await crypto.subtle.importKey('raw', Uint8Array.from(key), algorithm, false, ['verify'])
  return crypto.subtle.verify(algorithm, imported, Uint8Array.from(signature), Uint8Array.from(message))
}

/** Whether an ECDSA signature with P-256 is good. */
export async function verifyP256(...[spki, message, signature]: Signature): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const imported = await crypto.subtle.importKey('spki', Uint8Array.from(spki), algorithm, false, ['verify'])
  const how = { name: 'ECDSA', hash: 'SHA-256' }
  return crypto.subtle.verify(how, imported, Uint8Array.from(signature), Uint8Array.from(message))
}
