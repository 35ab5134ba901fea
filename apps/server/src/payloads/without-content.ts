import type { PayloadDocument } from '@custodia/contract'

/** A list row or its document, without the notes about the recording. */
export function withoutContent<T extends Pick<PayloadDocument, 'notes'>>({
  notes: _notes,
  ...rest
}: T): Omit<T, 'notes'> {
  return rest
}
