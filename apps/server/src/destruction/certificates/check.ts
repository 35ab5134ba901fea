import { CERTIFICATE_FORMAT, DestructionCertificate } from '@custodia/contract'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { checkSigned, type SignedKind } from '../../ports/keys/signed-file.ts'

const KIND: SignedKind<'certificate', DestructionCertificate['certificate']> = {
  member: 'certificate',
  format: CERTIFICATE_FORMAT,
  isWhole: (file): file is DestructionCertificate => DestructionCertificate.safeParse(file).success,
}

/** Holds a certificate as a file against public keys, without any server. */
export const checkCertificate = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

/** The keys in a file: PEM, one or more, or what the call for keys answered. Throws where it has none. */
export function publicKeysIn(text: string): KeyObject[] {
  const pems = text
    .replaceAll(String.raw`\n`, '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g)
  if (!pems) throw new Error('no public key (PEM) in it')
  return pems.map((pem) => createPublicKey(pem))
}
