import pg from 'pg'

export type DatabaseProblemKind =
  | 'unique'
  | 'foreign_key'
  | 'check'
  | 'unavailable'
  | 'serialization'
  | 'unstorable'
  | 'abandoned'

/**
 * A database failure that a caller can handle. The message names the constraint and never a value, because
 * rows are customers' data. `cause` is the driver's error.
 */
export class DatabaseProblem extends Error {
  readonly kind: DatabaseProblemKind
  /** Name of the violated constraint, for `unique`, `foreign_key` and `check`. */
  readonly constraint: string | null

  constructor(kind: DatabaseProblemKind, constraint: string | null, cause: unknown) {
    super(constraint === null ? `database: ${kind}` : `database: ${kind} ${constraint}`, { cause })
    this.name = 'DatabaseProblem'
    this.kind = kind
    this.constraint = constraint
  }
}

/** SQLSTATE to kind (PostgreSQL manual, appendix A). Temporary failures and full disks are `unavailable`. */
const KINDS: Record<string, DatabaseProblemKind> = {
  '23505': 'unique',
  // An exclusion constraint.
  '23P01': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  // Not-null violation.
  '23502': 'check',
  // A NUL, half a surrogate pair, or a number beyond its column: only external input can contain them.
  '22021': 'unstorable',
  '22P05': 'unstorable',
  '22P02': 'unstorable',
  '22003': 'unstorable',
  '40001': 'serialization',
  '40P01': 'serialization',
  '55P03': 'serialization',
  // The primary became a standby, or is read-only because its disk is full.
  '25006': 'unavailable',
  '25P03': 'unavailable',
  '53100': 'unavailable',
  '53200': 'unavailable',
  '53300': 'unavailable',
  // Exceeded `statement_timeout`.
  '57014': 'unavailable',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57P05': 'unavailable',
  '58030': 'unavailable',
}

/** SQLSTATE of a cancelled statement. */
const CANCELLED = '57014'

/** Whether an operator or `Lease.abandon` cancelled the statement, or its time was over. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === CANCELLED

/** Whether a read ended because its caller went away. */
export const isAbandoned = (error: unknown): boolean =>
  error instanceof DatabaseProblem && error.kind === 'abandoned'

const getKind = (code: string | undefined): DatabaseProblemKind | null =>
  KINDS[code ?? ''] ?? (code?.startsWith('08') ? 'unavailable' : null)

/**
 * The problem for a driver error; the error itself when it is a programming error (bad SQL, missing grant).
 */
export function translatePgError(error: unknown): unknown {
  if (error instanceof DatabaseProblem || !(error instanceof Error)) return error
  if (error instanceof pg.DatabaseError) {
    if (isPartitionMade(error)) return new DatabaseProblem('serialization', null, error)
    const kind = getKind(error.code)
    return kind === null ? error : new DatabaseProblem(kind, error.constraint ?? error.column ?? null, error)
  }
  return isConnectionLoss(error) ? new DatabaseProblem('unavailable', null, error) : error
}

/**
 * A row went to the default partition while its own partition was made; a retry finds that. Only the bounds
 * of partitions are checks without a name.
 */
const isPartitionMade = (error: pg.DatabaseError): boolean =>
  error.code === '23514' && error.constraint === undefined

/** pg's messages about a connection that did not answer in time. */
const SILENCE = /Query read timeout|timeout expired|due to connection timeout/

/** As `translatePgError`, for the job queue, whose errors are copies without their class. */
export function translateQueueError(error: unknown): unknown {
  const { code, message } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as Partial<pg.DatabaseError>
  if (typeof message !== 'string' || error instanceof DatabaseProblem) return error
  const isAway = getKind(code) === 'unavailable' || isConnectionLoss({ code, message })
  return isAway ? new DatabaseProblem('unavailable', null, error) : error
}

/** Whether the database is silent: neither a response nor the end of the connection. */
export const isSilence = (problem: unknown): boolean =>
  problem instanceof DatabaseProblem && problem.cause instanceof Error && SILENCE.test(problem.cause.message)

/**
 * pg reports lost sockets and full pools as plain errors: system errors have a code, its own only a message.
 */
function isConnectionLoss(error: { code?: unknown; message: string }): boolean {
  if (/^E(CONN|NOENT|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN|NOTFOUND)/.test(String(error.code))) return true
  return (
    SILENCE.test(error.message) ||
    /Connection terminated|timeout exceeded when trying to connect|not queryable|connection error|calling end on the pool/.test(
      error.message,
    )
  )
}
