import { ApiProblem } from '@custodia/client'

/** Whether a read by reference failed for good: no such record, no access to it, or a malformed reference (400). */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 404 || error.status === 400)
