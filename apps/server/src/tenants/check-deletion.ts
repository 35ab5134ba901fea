import type { KeyObject } from 'node:crypto'
import { CLIENT_DELETION_FORMAT, ClientDeletion } from '@custodia/contract'
import { checkSigned, type SignedKind } from '../ports/keys/signed-file.ts'

const KIND: SignedKind<'certificate', ClientDeletion['certificate']> = {
  member: 'certificate',
  format: CLIENT_DELETION_FORMAT,
  isWhole: (file): file is ClientDeletion => ClientDeletion.safeParse(file).success,
}

/** Verifies the certificate of a deleted client as a file against public keys, without any server. */
export const checkClientDeletion = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)
