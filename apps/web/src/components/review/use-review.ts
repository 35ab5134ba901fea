import { ApiProblem } from '@custodia/client'
import type { AccessImpact, Fault } from '@custodia/contract'
import { useState } from 'react'

/** Answer of a review call: faults, remarks, and the impact on rights. */
export interface Review {
  problems: readonly Fault[]
  warnings: readonly Fault[]
  impact: AccessImpact
}

/** Whether a change of rights needs a confirmation. */
export const isSevere = ({ impact }: Pick<Review, 'impact'>): boolean =>
  impact.locks_out || impact.escalations.length > 0

/** Whether a change affects any rights. */
export const movesRights = (review: Pick<Review, 'impact'>): boolean =>
  isSevere(review) || review.impact.roles.length > 0 || (review.impact.hidden_roles ?? 0) > 0

/** The caller may not grant these rights. */
export const isForbidden = ({ impact }: Pick<Review, 'impact'>): boolean =>
  impact.escalations.length > 0 && !impact.may_escalate

/** Holds the preview of the exact values that were reviewed; a changed field drops it. */
export function useReview<Values, R extends Review>() {
  const [kept, setKept] = useState<{ values: string; review: R }>()
  const getKey = (values: Values) => JSON.stringify(values)
  return {
    /** Current preview for these values, if any. */
    getReview: (values: Values): R | undefined => (kept?.values === getKey(values) ? kept.review : undefined),
    /**
     * Requests a review, rejects faults and keeps what needs a confirmation.
     * @returns the review; undefined when the user must confirm first
     * @throws ApiProblem with faults at their fields
     */
    validate: async (
      values: Values,
      ask: () => Promise<R>,
      wantsWord: (review: R) => boolean,
    ): Promise<R | undefined> => {
      if (kept?.values === getKey(values)) return kept.review
      const review = await ask()
      if (review.problems.length > 0)
        throw new ApiProblem(400, { code: 'invalid_input', message: '', errors: review.problems })
      if (!wantsWord(review)) return review
      setKept({ values: getKey(values), review })
      return undefined
    },
    clear: () => setKept(undefined),
  }
}
