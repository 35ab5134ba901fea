import * as z from 'zod/mini'
import type { FaultCode } from './fault-phrases.ts'
import type { ProblemCode } from './problems.ts'

/** One field that failed validation, as it travels in `errors` of a problem body. */
export const Fault = z.strictObject({
  /** Dotted path of the field; empty for the whole. */
  path: z.string(),
  /** Not an enumeration, which would load the texts of all faults into every page. */
  code: z.string() as unknown as z.ZodMiniType<FaultCode>,
  /** The phrase in English. */
  message: z.string(),
  /** Values of the phrase's placeholders, so that a screen can show another language. */
  values: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
})
export type Fault = z.output<typeof Fault>

/** Parse options that distinguish a missing value from a wrong one and keep the input out of every log. */
export const PARSE_OPTIONS = { reportInput: true } as const

/** Reason for a refused row. Not an enumeration either. */
export const RowProblem = z.string() as unknown as z.ZodMiniType<ProblemCode>
