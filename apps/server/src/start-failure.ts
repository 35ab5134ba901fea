/** Explanations of operating system errors that an operator can fix. */
const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  ENOTDIR: 'a part of the path is no folder',
  EADDRINUSE: 'another program listens there; stop it, or set another PORT',
  EADDRNOTAVAIL: 'this machine has no such address; see HOST',
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'no such host is known',
}

/** Errors that are a fault of the program: only their stack says where. */
const FAULTS = [TypeError, ReferenceError, SyntaxError, RangeError]

/** The message of a failed start for the operator: one sentence, or the stack for a fault of the program. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return `The server cannot start: ${String(error)}`
  if (FAULTS.some((kind) => error instanceof kind) && !('code' in error)) return error.stack ?? error.message
  return `The server cannot start: ${reasonOf(error)}`
}

function reasonOf(error: Error & { code?: unknown }): string {
  const meaning = typeof error.code === 'string' ? MEANINGS[error.code] : undefined
  const own = meaning ? `${placeOf(error)}: ${meaning}` : error.message
  const cause = error.cause instanceof Error ? reasonOf(error.cause) : ''
  // Several addresses of one host were tried: the first failure stands for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  if (own === '' && first instanceof Error) return reasonOf(first)
  return cause && !own.includes(cause) ? `${own} (${cause})` : own
}

function placeOf(error: object): string {
  const { path, address, port, hostname } = error as Record<string, unknown>
  if (typeof path === 'string') return path
  if (typeof address === 'string') {
    const host = address.includes(':') ? `[${address}]` : address
    return port === undefined ? host : `${host}:${String(port)}`
  }
  return typeof hostname === 'string' ? hostname : 'the system'
}
