/** Looks for malware in the decrypted bytes of a payload. `clamd.ts` asks a ClamAV daemon; `none.ts` stands for no scanner. */
export interface Scanner {
  /** False when the installation has no scanner: `scan` then always throws, and callers decide by policy beforehand. */
  readonly configured: boolean
  /**
   * Scans a stream. Only a clear answer resolves; anything else throws ScannerUnavailable (try again later) or
   * ScanLimitExceeded (this content will never be scanned), so nothing passes as clean by accident. An error of the source is
   * thrown as it is. An encrypted archive counts as infected where the daemon is configured to report it.
   */
  scan(source: AsyncIterable<Uint8Array>): Promise<ScanVerdict>
  /** Throws ScannerUnavailable unless the scanner answers now. */
  health(): Promise<void>
}

export type ScanVerdict = { infected: false } | { infected: true; signature: string }

/** The scanner cannot be reached, broke off, was too slow or answered something unknown. */
export class ScannerUnavailable extends Error {
  override name = 'ScannerUnavailable'
}

/** The content is larger or deeper than the scanner is allowed to look; trying again will not help. */
export class ScanLimitExceeded extends Error {
  override name = 'ScanLimitExceeded'
}
