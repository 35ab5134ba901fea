/** Milliseconds within which an error is reported once. */
const WITHIN = 60_000

/**
 * Reports each error at most once a minute. A part that is away makes every job and request fail the same way, which would
 * fill the log. The next report of the error says how many were left out.
 *
 * @param report writes one line; `left_out` is 0 for the first
 * @param now milliseconds of a clock that never goes back
 */
export function limitRepeats(
  report: (error: unknown, message: string, left_out: number) => void,
  now: () => number = () => performance.now(),
): (error: unknown, message: string) => void {
  const reported = new Map<string, { at: number; left_out: number }>()
  return (error, message) => {
    const key = `${message} ${withoutNames(error)}`
    const last = reported.get(key)
    if (last && now() - last.at < WITHIN) {
      last.left_out += 1
      return
    }
    for (const [other, { at, left_out }] of reported)
      if (left_out === 0 && now() - at >= WITHIN) reported.delete(other)
    reported.set(key, { at: now(), left_out: 0 })
    report(error, message, last?.left_out ?? 0)
  }
}

/** What the error says, without the queue, worker or address in brackets, which differ from line to line. */
function withoutNames(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/ \([^)]*\)/g, '').slice(0, 200)
}
