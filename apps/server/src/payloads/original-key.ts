/**
 * The object key of a payload's sealed bytes. A rejected upload keeps its key as evidence, and the next one
 * gets another key.
 */
export const originalKey = (client: string, payload_reference: string, rejected_count: number): string =>
  `${client}/${payload_reference}/original-${rejected_count}`

/** The payload of an object key; undefined for a key that is not an upload's. */
export function ownerOfKey(key: string): { client: string; payload_reference: string } | undefined {
  const [client, payload_reference, kind] = key.split('/')
  return client && payload_reference && kind?.startsWith('original-')
    ? { client, payload_reference }
    : undefined
}
