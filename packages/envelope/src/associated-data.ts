/** What a sealed stream belongs to; sealed data moved to another payload, client or kind does not open. */
export type SealedIdentity = {
  client: string
  /** Of a report its id. */
  payload_reference: string
  /**
   * `original`, `metaKind`, `peaks`, `playback`, what a later rendition is called, or of a report what it is: `position` or
   * `telemetry`.
   */
  kind: 'original' | 'peaks' | 'playback' | 'position' | 'telemetry' | (string & {})
}

/** Kind of the metadata of a payload. Metadata of one payload type does not open as that of another. */
export const metaKind = (payload_type: string): string => `meta ${payload_type}`

/**
 * The associated data of a payload's sealed bytes: UTF-8 of `custodia/v1`, then for client, payload_reference and kind in this
 * order `|`, the length of the field in bytes of UTF-8 as a decimal number, `:` and the field itself. For example
 * `custodia/v1|4:acme|3:p-1|8:original`. The lengths make it unambiguous whatever the fields contain. See docs/envelope-format.md.
 */
export function associatedData({ client, payload_reference, kind }: SealedIdentity): Buffer {
  return Buffer.from(['custodia/v1', field(client), field(payload_reference), field(kind)].join('|'))
}

function field(value: string): string {
  if (value === '') throw new RangeError('associated data: a field is empty')
  if (!value.isWellFormed()) throw new RangeError('associated data: a field is not well-formed Unicode')
  return `${Buffer.byteLength(value)}:${value}`
}
