export interface Denial {
  /** Code of the server; undefined where the log has none. */
  code: string | undefined
  /** What the log adds to the code, or its whole text. */
  detail: string
}

/** Reads a denial of the log: one of the known codes, and behind a colon what the server knew of it. */
export function readDenial(denial_reason: string, known: Readonly<Record<string, unknown>>): Denial {
  const [, code = '', detail = ''] = /^(\w+)(?:: (.*))?$/s.exec(denial_reason) ?? []
  return Object.hasOwn(known, code) ? { code, detail } : { code: undefined, detail: denial_reason }
}

/** Status codes of calls that the caller may not make, or not now. */
const DENYING = new Set([401, 403, 404, 429])
const DENIED = /^(sign_in_refused|cookie_reused|provider_refused)\b/

/** Whether a call was let through and done; of the others, whether the caller may not or it did not work out. */
export function outcomeOf(entry: {
  is_allowed: boolean
  status_code: number | null
  denial_reason: string | null
}): 'allowed' | 'denied' | 'failed' {
  if (entry.is_allowed) return 'allowed'
  const isDenied = entry.status_code === null || DENYING.has(entry.status_code)
  return isDenied || DENIED.test(entry.denial_reason ?? '') ? 'denied' : 'failed'
}
