import type { LoggerOptions } from 'pino'
import { Problem } from './http/problem.ts'
import { DatabaseProblem } from './ports/database/problem.ts'
import { KeysUnavailable } from './ports/keys/port.ts'
import { ObjectStoreUnavailable } from './ports/objects/port.ts'
import { PushUnavailable } from './ports/push/port.ts'
import { ScannerUnavailable } from './ports/scanner/port.ts'

/** Milliseconds within which a part that is away is reported once. */
const WITHIN = 60_000

const UNAVAILABLE = [ObjectStoreUnavailable, KeysUnavailable, ScannerUnavailable, PushUnavailable]

/**
 * A hook of the log: reports a part that is away at most once a minute, because every job and request fails with it. The next line about
 * the part says how many were left out.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function limitOutages(now: () => number = () => performance.now()): LoggerOptions['hooks'] {
  const reported = new Map<string, { at: number; left_out: number }>()
  return {
    logMethod(args, method) {
      const [facts, ...rest] = args as unknown as [{ err?: unknown } | string, ...unknown[]]
      const part = typeof facts === 'string' ? undefined : partAway(facts.err)
      if (part === undefined) return method.apply(this, args)
      const last = reported.get(part)
      if (last && now() - last.at < WITHIN) {
        last.left_out += 1
        return
      }
      reported.set(part, { at: now(), left_out: 0 })
      const limited = [{ ...(facts as object), left_out: last?.left_out ?? 0 }, ...rest]
      method.apply(this, limited as unknown as typeof args)
    },
  }
}

/** The part whose absence is the error; undefined for every other error. */
function partAway(error: unknown): string | undefined {
  if (error instanceof DatabaseProblem) return error.kind === 'unavailable' ? 'database' : undefined
  if (error instanceof Problem) return error.code === 'unavailable' ? 'service' : undefined
  return UNAVAILABLE.find((kind) => error instanceof kind)?.name
}
