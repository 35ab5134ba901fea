import { CERTIFICATE_FORMAT, DestructionCertificate } from '@custodia/contract'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { checkSigned, type SignedKind } from '../../ports/keys/signed-file.ts'

const KIND: SignedKind<'certificate', DestructionCertificate['certificate']> = {
  member: 'certificate',
  format: CERTIFICATE_FORMAT,
  isWhole: (file): file is DestructionCertificate => DestructionCertificate.safeParse(file).success,
}

/** Verifies a certificate file against public keys, offline. */
export const checkCertificate = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

/** Public keys of a file: PEM or the answer of the key call. Throws without one. */
export function publicKeysIn(text: string): KeyObject[] {
  const pems = text
    .replaceAll(String.raw`\n`, '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g)
  if (!pems) throw new Error('the file contains no public key (PEM)')
  return pems.map((pem) => createPublicKey(pem))
}
