import * as z from 'zod/mini'
import { EpochSeconds, Ulid } from './scalars.ts'

/** The response of a call whose act waits for a second person (status 202): nothing is done yet. */
export const Proposed = z.strictObject({
  proposal_id: Ulid,
  proposed_at: EpochSeconds,
  expires_at: EpochSeconds,
})
export type Proposed = z.output<typeof Proposed>

/** Whether a response is a proposal. */
export const isProposed = (answer: unknown): answer is Proposed =>
  typeof answer === 'object' && answer !== null && 'proposal_id' in answer && !('act' in answer)
