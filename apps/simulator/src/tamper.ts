import { createHash } from 'node:crypto'
import type { PhoneStore } from '@custodia/device-sdk'

/** Simulates a dishonest holder: alters sealed data of a queued payload and corrects its checksum, so that only the seal reveals it. */
export async function tamperWith(store: PhoneStore, payload_reference: string): Promise<void> {
  const sealed = await store.readSealed(payload_reference)
  const entry = (await store.entries()).find(
    (each) => each.announcement.payload_reference === payload_reference,
  )
  if (!sealed || !entry) throw new Error(`${payload_reference} is not queued with data`)
  const bytes = await sealed.bytes()
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await store.writeSealed(payload_reference, streamOf(bytes))
  const checksum = createHash('sha256').update(bytes).digest('hex')
  await store.putEntry({ ...entry, announcement: { ...entry.announcement, checksum } })
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
