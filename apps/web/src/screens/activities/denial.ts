export interface Denial {
  /** Server code; undefined where the log has none. */
  code: string | undefined
  /** Detail after the code, or the whole text. */
  detail: string
}

/** Parses a denial of the log: a known code, and details after a colon. */
export function readDenial(denial_reason: string, known: Readonly<Record<string, unknown>>): Denial {
  const [, code = '', detail = ''] = /^(\w+)(?:: (.*))?$/s.exec(denial_reason) ?? []
  return Object.hasOwn(known, code) ? { code, detail } : { code: undefined, detail: denial_reason }
}

/** Status codes of denied calls. */
const DENYING = new Set([401, 403, 404, 429])
const DENIED = /^(sign_in_refused|cookie_reused|provider_refused)\b/

/** Whether a call was allowed; otherwise whether it was denied or failed. */
export function outcomeOf(entry: {
  is_allowed: boolean
  status_code: number | null
  denial_reason: string | null
}): 'allowed' | 'denied' | 'failed' {
  if (entry.is_allowed) return 'allowed'
  const isDenied = entry.status_code === null || DENYING.has(entry.status_code)
  return isDenied || DENIED.test(entry.denial_reason ?? '') ? 'denied' : 'failed'
}
