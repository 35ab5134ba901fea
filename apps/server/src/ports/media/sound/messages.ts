import type { Drawn } from '@custodia/waveform'
import type { MediaErrorCode, Probe, Sniffed } from '../port.ts'

/** The task of the thread. */
export interface Task {
  size: number
  sniffed: Sniffed
  /** Longest recording, in seconds. */
  media_seconds: number
}

/** Messages of the thread. After `identified` it waits for `listen`; after `drawn` or `failed` it ends. */
export type FromThread =
  | { says: 'read'; start: number; end: number }
  | { says: 'recognised'; probe: Probe; is_heard: boolean }
  | { says: 'mp3'; bytes: Uint8Array }
  | { says: 'drawn'; drawn: Drawn }
  | { says: 'failed'; code: MediaErrorCode; message: string }

/** Messages to the thread. */
export type ToThread = { says: 'bytes'; bytes: Uint8Array } | { says: 'listen'; renders: boolean }
