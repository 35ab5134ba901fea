import { type Scanner, ScannerUnavailable } from './port.ts'

/** An installation without a scanner. */
export const noScanner: Scanner = {
  configured: false,
  scan: async () => {
    throw new ScannerUnavailable('no malware scanner is configured')
  },
  health: async () => {},
}
