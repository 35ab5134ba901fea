import type { Fault, ProblemCode } from '@custodia/contract'

/** Characters of unexpected data that an error quotes (spec section 9). */
const EXCERPT = 200

/** The server answered with a problem. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: ProblemCode | undefined
  readonly faults: readonly Fault[]
  readonly request_id: string | undefined
  /** Seconds after which the server wants to be asked again. */
  readonly retry_after: number | undefined

  constructor(status: number, body: unknown, retry_after?: number) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<{
      message: string
      code: ProblemCode
      errors: Fault[]
      request_id: string
    }>
    super(problem.message ?? `HTTP ${status}`)
    this.name = 'ApiProblem'
    this.status = status
    this.code = problem.code
    this.faults = Array.isArray(problem.errors) ? problem.errors : []
    this.request_id = problem.request_id
    this.retry_after = retry_after
  }
}

/** The answer of the server does not have the shape that the contract promises (spec section 5). */
export class ResponseShapeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ResponseShapeError'
  }
}

/** `{prefix} {errors}. JSON: {first 200 characters}`, each error as `path: message` on a line of its own (spec section 5). */
export function describeShapeFailure(prefix: string, faults: readonly Fault[], data: unknown): string {
  const excerpt = (JSON.stringify(data) ?? String(data)).slice(0, EXCERPT)
  if (faults.length === 0) return `${prefix} Unexpected data received. JSON: ${excerpt}`
  const lines = faults.map(
    (fault) => `${fault.path}: ${fault.code === 'required' ? 'required' : fault.message}`,
  )
  return `${prefix} ${lines.join('\n')}. JSON: ${excerpt}`
}
