import type { Options } from './options.ts'

/** Input of every bench. */
export interface BenchContext {
  options: Options
  /** What the results are written with: sizes, machine, time. */
  facts: object
  /** The file of the results. */
  file: string
  say: (step: string) => void
}

/** Epoch seconds of the newest payload: every run measures the same archive. */
export const UNTIL: number = Date.UTC(2026, 9, 1) / 1000
