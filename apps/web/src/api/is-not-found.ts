import { ApiProblem } from '@custodia/client'

/** Asking for a record by its reference alone failed for good: there is none, none for whoever asks, or no reference looks like this (400). */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 404 || error.status === 400)
