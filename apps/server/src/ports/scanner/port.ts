/**
 * Scans the decrypted bytes of a payload for malware. `clamd.ts` uses a ClamAV daemon; `none.ts` is no
 * scanner.
 */
export interface Scanner {
  /** False when the installation has no scanner: `scan` then always throws, and callers decide by policy beforehand. */
  readonly configured: boolean
  /**
   * Scans a stream. Only a clear reply resolves; otherwise it throws ScannerUnavailable (try again later) or
   * ScanLimitExceeded (never scannable). Errors of the source are thrown unchanged. An encrypted archive
   * counts as infected where the daemon is configured so.
   */
  scan(source: AsyncIterable<Uint8Array>): Promise<ScanVerdict>
  /** Throws ScannerUnavailable unless the scanner answers now. */
  health(): Promise<void>
}

export type ScanVerdict = { infected: false } | { infected: true; signature: string }

/** The scanner is unreachable, disconnected, was too slow or sent an unknown reply. */
export class ScannerUnavailable extends Error {
  override name = 'ScannerUnavailable'
}

/** The content exceeds the scanner's limits; trying again does not help. */
export class ScanLimitExceeded extends Error {
  override name = 'ScanLimitExceeded'
}

/** An installation without a scanner. */
export const noScanner: Scanner = {
  configured: false,
  scan: async () => {
    throw new ScannerUnavailable('no malware scanner is configured')
  },
  health: async () => {},
}
