import { ApiProblem } from '@custodia/client'
import type { AccessImpact, Fault } from '@custodia/contract'
import { useState } from 'react'

/** What a review call answers: faults that refuse, remarks, and what saving would mean for people's rights. */
export interface Review {
  problems: readonly Fault[]
  warnings: readonly Fault[]
  impact: AccessImpact
}

/** Whether a change of rights wants the person's word before it is saved. */
export const isGrave = ({ impact }: Pick<Review, 'impact'>): boolean =>
  impact.locks_out || impact.escalations.length > 0

/** Whether a change moves anybody's rights at all. */
export const movesRights = (review: Pick<Review, 'impact'>): boolean =>
  isGrave(review) || review.impact.roles.length > 0 || (review.impact.hidden_roles ?? 0) > 0

/** A review that stops at the person: the caller may not grant what it would grant. */
export const isForbidden = ({ impact }: Pick<Review, 'impact'>): boolean =>
  impact.escalations.length > 0 && !impact.may_escalate

/**
 * Holds the review of what is about to be saved. It stands for exactly the values that were judged: with the next
 * change of a field it is gone, and saving asks again.
 */
export function useReview<Values, R extends Review>() {
  const [kept, setKept] = useState<{ values: string; review: R }>()
  const keyOf = (values: Values) => JSON.stringify(values)
  return {
    /** The review on screen for these values, if there is one. */
    reviewOf: (values: Values): R | undefined => (kept?.values === keyOf(values) ? kept.review : undefined),
    /**
     * Asks for a review, refuses what has problems and keeps what wants the person's word.
     *
     * @returns the review to go on with; undefined when the person is to confirm first
     * @throws ApiProblem with the problems at their fields
     */
    validate: async (
      values: Values,
      ask: () => Promise<R>,
      wantsWord: (review: R) => boolean,
    ): Promise<R | undefined> => {
      if (kept?.values === keyOf(values)) return kept.review
      const review = await ask()
      if (review.problems.length > 0)
        throw new ApiProblem(400, { code: 'invalid_input', message: '', errors: review.problems })
      if (!wantsWord(review)) return review
      setKept({ values: keyOf(values), review })
      return undefined
    },
    clear: () => setKept(undefined),
  }
}
