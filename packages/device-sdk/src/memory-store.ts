import type { LogEntry } from '@custodia/contract'
import type { DeviceKeyPair } from '@custodia/envelope'
import type { AccountKey, PhoneStore, QueueEntry } from './store.ts'

/** A store that forgets with its process. `pair`: the phone's key, where it was known before. */
export function memoryStore(pair?: DeviceKeyPair): PhoneStore {
  const entries = new Map<string, QueueEntry>()
  const sealed = new Map<string, Blob>()
  const logs = new Map<string, readonly LogEntry[]>()
  let lastSlip = 0
  let key: AccountKey | undefined
  let own = pair
  return {
    addLogs: async (entries) => void logs.set(String(++lastSlip), structuredClone(entries)),
    logSlips: async () => [...logs.keys()],
    readLogs: async (slip) => [...(logs.get(slip) ?? [])],
    removeLogs: async (slip) => void logs.delete(slip),
    quarantineLogs: async (slip) => void logs.delete(slip),
    entries: async () => structuredClone([...entries.values()]),
    putEntry: async (entry) => void entries.set(entry.announcement.payload_reference, structuredClone(entry)),
    removeEntry: async (reference) => void entries.delete(reference),
    async writeSealed(reference, chunks) {
      const copies: Uint8Array<ArrayBuffer>[] = []
      for await (const chunk of chunks) copies.push(Uint8Array.from(chunk))
      sealed.set(reference, new Blob(copies))
    },
    readSealed: async (reference) => sealed.get(reference),
    removeSealed: async (reference) => void sealed.delete(reference),
    sealedReferences: async () => [...sealed.keys()],
    readKey: async () => key,
    writeKey: async (value) => {
      key = value
    },
    readDeviceKey: async () => own,
    writeDeviceKey: async (value) => {
      own = value
    },
  }
}
