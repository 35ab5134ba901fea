import { ScanLimitExceeded, ScannerUnavailable, type ScanVerdict } from './port.ts'

/**
 * Parses clamd's one reply to INSTREAM, without its final NUL. Only the two documented verdicts count; OK is
 * valid only when the whole stream was sent (`ended`).
 */
export function readVerdict(reply: string, ended: boolean): ScanVerdict {
  const signature = /^stream: ([\x21-\x7e]+) FOUND$/.exec(reply)?.[1]
  if (signature?.startsWith('Heuristics.Limits.Exceeded')) throw new ScanLimitExceeded(`clamd: ${signature}`)
  if (signature) return { infected: true, signature }
  if (reply === 'stream: OK' && ended) return { infected: false }
  if (reply === 'INSTREAM size limit exceeded. ERROR') throw new ScanLimitExceeded(`clamd: ${reply}`)
  throw new ScannerUnavailable(`clamd gave no verdict: ${JSON.stringify(reply.slice(0, 200))}`)
}
