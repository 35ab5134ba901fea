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
