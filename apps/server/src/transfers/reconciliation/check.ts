import type { KeyObject } from 'node:crypto'
import { RECONCILIATION_FORMAT, TransferReconciliation } from '@custodia/contract'
import { checkSigned, type SignedKind } from '../../ports/keys/signed-file.ts'

const KIND: SignedKind<'reconciliation', TransferReconciliation['reconciliation']> = {
  member: 'reconciliation',
  format: RECONCILIATION_FORMAT,
  isWhole: (file): file is TransferReconciliation => TransferReconciliation.safeParse(file).success,
}

/** Verifies a reconciliation file against public keys, offline. */
export const checkReconciliation = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)
