import type { Announcement, LogEntry } from '@custodia/contract'
import type { DeviceKeyPair } from '@custodia/envelope'

/** Why the phone stopped sending a payload. Its copy is kept: a person or a later version of the app must look. */
export type RefusalReason = 'payload_conflict' | 'invalid_announcement' | 'local_copy_lost' | 'failed'

/** One payload on its way. Everything in it is sealed: it may lie on the phone's disk. */
export interface QueueEntry {
  announcement: Announcement
  /** `queued`: to be announced and uploaded. `uploaded`: the server has the bytes and checks them. `refused`: stopped. */
  state: 'queued' | 'uploaded' | 'refused'
  /** How often its data was sent, or refused on arrival. */
  sends: number
  refusal?: RefusalReason
  /** What the server said about the last failure. */
  reason?: string
}

/** The account's public key as the server gave it. */
export interface AccountKey {
  key_id: string
  kek: string
  client: string
  /** Epoch seconds. */
  read_at: number
}

/** Where a phone keeps its logs, as slips in the order in which they were added. */
export interface LogStore {
  addLogs(logs: readonly LogEntry[]): Promise<void>
  /** Names of the slips, the oldest first; without those that were set aside. */
  logSlips(): Promise<string[]>
  readLogs(slip: string): Promise<LogEntry[]>
  removeLogs(slip: string): Promise<void>
  /** Keeps a slip, and leaves it out from now on. */
  quarantineLogs(slip: string): Promise<void>
}

/**
 * Where a phone keeps what it has not handed over yet. Every write is durable when it resolves, and whole or absent after a crash.
 * `folder-store.ts` is the real one; `memory-store.ts` serves tests and load generators.
 */
export interface PhoneStore extends LogStore {
  entries(): Promise<QueueEntry[]>
  /** Adds or replaces the entry of its payload_reference. */
  putEntry(entry: QueueEntry): Promise<void>
  removeEntry(payload_reference: string): Promise<void>
  /** Replaces what was there. */
  writeSealed(payload_reference: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** Undefined when there is none. */
  readSealed(payload_reference: string): Promise<Blob | undefined>
  removeSealed(payload_reference: string): Promise<void>
  sealedReferences(): Promise<string[]>
  readKey(): Promise<AccountKey | undefined>
  writeKey(key: AccountKey): Promise<void>
  /** The phone's own key pair, by which it is known for ever. On a real phone the private half stays in the keystore. */
  readDeviceKey(): Promise<DeviceKeyPair | undefined>
  writeDeviceKey(pair: DeviceKeyPair): Promise<void>
}
