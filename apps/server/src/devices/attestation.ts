import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { KeyProvider } from '../ports/keys/port.ts'
import { isChallenge } from './attestation-challenge.ts'
import { keyDescriptionOf } from './key-description.ts'

/**
 * Reads the certificates of a PEM file; an empty list without a file. Throws an error that names an unreadable file.
 */
export function readRoots(file: string | undefined): X509Certificate[] {
  if (file === undefined) return []
  try {
    const blocks = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    )
    if (!blocks) throw new Error('the file contains no certificate')
    return blocks.map((block) => new X509Certificate(block))
  } catch (cause) {
    throw new Error(`ATTESTATION_ROOTS: ${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

interface Attested {
  /** Base64 DER certificates, the key's own first; each is issued by the next. */
  chain: readonly string[]
  device_key: string
  now: number
}

/** Returns why a chain does not prove a hardware key, or undefined when it does (docs/protocol-enrolment.md). */
export async function attestationError(
  { keys, roots }: { keys: Pick<KeyProvider, 'namedSecret'>; roots: readonly X509Certificate[] },
  { chain, device_key, now }: Attested,
): Promise<string | undefined> {
  if (roots.length === 0) return 'no roots are configured'
  try {
    const certificates = chain.map((each) => new X509Certificate(Buffer.from(each, 'base64')))
    const [leaf, ...issuers] = certificates
    if (!leaf || spkiOf(leaf) !== device_key) return 'the certificate is of another key'
    if (!certificates.every((each) => isValidAt(each, now))) return 'a certificate is not of this time'
    if (!isChained(certificates, roots)) return 'the chain does not end in a root'
    // Only the first certificate describes a key: a statement that an attested key signed proves nothing.
    if (issuers.some((each) => keyDescriptionOf(each))) return 'an issuer is itself attested'
    const description = keyDescriptionOf(leaf)
    if (!description) return 'the certificate says nothing of its key'
    if (!description.is_hardware) return 'the key is kept by software'
    return (await isChallenge(keys, description.challenge, now))
      ? undefined
      : 'the challenge is not of this server, or of before'
  } catch {
    return 'the chain cannot be read'
  }
}

const spkiOf = ({ publicKey }: X509Certificate): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now * 1000 && validToDate.getTime() >= now * 1000

/** Compares roots by key, because their certificates are renewed. */
function isChained(certificates: readonly X509Certificate[], roots: readonly X509Certificate[]): boolean {
  const last = certificates.at(-1)
  if (!last || !certificates.every((each, i) => i === 0 || isIssuedBy(certificates[i - 1]!, each)))
    return false
  const isRoot = certificates.length > 1 && roots.some((root) => spkiOf(root) === spkiOf(last))
  return isRoot || roots.some((root) => isIssuedBy(last, root))
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
