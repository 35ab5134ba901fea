import { canonical, type DestructionCertificate } from '@custodia/contract'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** SHA-256 of the signed canonical JSON of a certificate: the digest that its page and its QR code show. */
export const digestOfCertificate = (certificate: DestructionCertificate['certificate']): string =>
  bytesToHex(sha256(new TextEncoder().encode(canonical(certificate))))
