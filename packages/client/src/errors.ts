import type { Fault, ProblemCode } from '@custodia/contract'

/** The server answered with a problem. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: ProblemCode | undefined
  readonly faults: readonly Fault[]
  readonly request_id: string | undefined
  /** Seconds after which the server wants to be asked again. */
  readonly retry_after: number | undefined
  /** What was refused, in the user's words: a notice says it before the reason. */
  refused: string | undefined

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
