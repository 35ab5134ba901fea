/** Why sealed data was refused. The codes are stable; messages are for people and never contain plaintext. */
export type EnvelopeErrorCode =
  | 'bad_header'
  | 'truncated'
  | 'tampered'
  | 'trailing_data'
  | 'undecryptable_key'
  | 'undecryptable_meta'
  | 'out_of_range'

/** A fault of the data (or of its key), as opposed to a fault of the calling code, which is a `RangeError`. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
  readonly code: EnvelopeErrorCode

  constructor(code: EnvelopeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
