import type { PayloadType } from '@custodia/contract'
import type { ObjectSettings } from '../open-objects.ts'
import type { Check } from './checks.ts'

/** What a thread needs to know to open the store for itself. */
export interface DecryptorSettings {
  objects: ObjectSettings
}

/** An object to be read and opened. */
export interface OpenTask {
  client: string
  payload_reference: string
  /** Absent: there is metadata only. */
  object?: { kind: string; key: string; sealed_size: number }
  /** Absent: the data key is not known yet, and the sealed bytes alone are compared. */
  dek?: Uint8Array
  /** SHA-256 of the sealed bytes as the phone announced them. */
  sealed_checksum?: string | null
  /** SHA-256 and size of the opened bytes as they were when the object was stored. */
  checksum?: string | null
  size?: number
  /** Metadata sealed under the same key. */
  meta?: { payload_type: PayloadType; iv: string; sealed: Uint8Array }
}

export interface OpenResult {
  bytes: number
  fault?: { check: Check; detail: string }
}
