import type { PayloadDocument } from '@custodia/contract'

/** A row of a list, or its document, without what somebody wrote about the recording. */
export function withoutContent<T extends Pick<PayloadDocument, 'notes'>>({
  notes: _notes,
  ...rest
}: T): Omit<T, 'notes'> {
  return rest
}
