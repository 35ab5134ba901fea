import type { TransferProblem } from '@custodia/contract'
import type { CheckedAddress } from '../egress/port.ts'
import { type SftpTarget, TargetProblem } from './port.ts'

/** Bytes of a read or write request: OpenSSH accepts up to 255 KiB, and few others less. */
export const PIECE = 128 << 10
/** Most pieces in transit to one server over all items: 8 MiB, which a line with some latency needs. */
export const SLOTS = 64

/**
 * Young generation of a session's thread in MiB. Its packets are short-lived; more space would only delay
 * their release, without a speed gain.
 */
export const YOUNG_MIB = 2

/** Settings of a session's thread. */
export interface ThreadSettings {
  target: SftpTarget
  /** Admitted by the egress guard. */
  addresses: CheckedAddress[]
  patience: { connect: number; silence: number }
  /**
   * Shared memory for content, `SLOTS` reused pieces of `PIECE` bytes: no copies between threads, no garbage
   * collection.
   */
  memory: SharedArrayBuffer
  /** One number: the transferred bytes. */
  moved: SharedArrayBuffer
}

/** Milliseconds between two updates of the transferred bytes. */
export const MOVED_MS = 250

/** Messages to the thread. Content of an item comes in order; its end carries the metadata. */
export type ToThread =
  /** `isDigested`: the checksum is not known beforehand. */
  | { kind: 'put'; id: number; path: string; isDigested: boolean }
  | { kind: 'piece'; id: number; slot: number; length: number }
  /** `sha256`: of the written bytes, where known. */
  | { kind: 'end'; id: number; sha256: string | undefined }
  | { kind: 'abandon'; id: number }
  | { kind: 'remove'; id: number; path: string }

/** Messages of the thread. */
export type FromThread =
  | { kind: 'ready' }
  | { kind: 'free'; slot: number }
  | { kind: 'done'; id: number; written: Written }
  | { kind: 'failed'; id: number; problem: SentProblem }
  /** The connection and its thread have ended. */
  | { kind: 'ended'; problem: SentProblem }

/** A written file. */
export interface Written {
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Errors lose their class between threads. */
export interface SentProblem {
  reason: TransferProblem
  detail: string
  host_key: string | undefined
}

/** Serializes a problem. */
export const sent = ({ reason, message, host_key }: TargetProblem): SentProblem => ({
  reason,
  detail: message.slice(reason.length + 2),
  host_key,
})

/** Restores a serialized problem. */
export const received = ({ reason, detail, host_key }: SentProblem): TargetProblem =>
  new TargetProblem(reason, detail, { host_key })

/** The bytes of a slot. */
export const slotOf = (memory: SharedArrayBuffer, slot: number, length = PIECE): Buffer =>
  Buffer.from(memory, slot * PIECE, length)
