import * as z from 'zod/mini'
import { EpochSeconds, Ulid } from './scalars.ts'

/** The response of a call whose act waits for a second person (status 202): nothing is done yet. */
export const ProposalAnswer = z.strictObject({
  proposal_id: Ulid,
  proposed_at: EpochSeconds,
  expires_at: EpochSeconds,
})
export type ProposalAnswer = z.output<typeof ProposalAnswer>

/** Whether a response is a proposal. */
export const isProposed = (answer: unknown): answer is ProposalAnswer =>
  typeof answer === 'object' && answer !== null && 'proposal_id' in answer && !('act' in answer)
