import { randomInt } from 'node:crypto'

/** True in `npm run test:long`: sizes grow to what a release needs. */
export const LONG = process.env['TEST_LONG'] === 'true'

/** Differs in each run of `npm run test:long`, so that repeated runs reach more moments; TEST_SEED repeats one. */
const RUN = Number(process.env['TEST_SEED'] ?? (LONG ? randomInt(1_000_000) : 0))

/** The seed of a test with random moments: `usual` in `npm test`, moved by the printed TEST_SEED in a long run. */
export function getSeed(usual: number): number {
  if (RUN !== 0) console.log(`TEST_SEED=${RUN}`)
  return usual + RUN
}

/** Options of a test that runs in `npm run test:long` alone. */
export const longOnly = { skip: LONG ? false : 'npm run test:long' }
