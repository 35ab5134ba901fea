import type { RoleInput, RoleReview, StoredRole } from '@custodia/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** A role for editing, read once: it must not change during the edit. */
export const roleQuery = (role_reference: string) =>
  queryOptions({
    queryKey: keyOf('readRole', role_reference),
    queryFn: ({ signal }): Promise<StoredRole> =>
      api.readRole({ params: { role_reference }, query: {} }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Cache time of a preview in milliseconds: groups and other roles change rarely. */
const REVIEW_FRESH_MS = 30_000

/** Preview of a role: matches and reach. */
export const roleReviewQuery = (role_reference: string, body: RoleInput) =>
  queryOptions({
    queryKey: keyOf('reviewRole', role_reference, body),
    queryFn: ({ signal }): Promise<RoleReview> =>
      api.reviewRole({ params: { role_reference }, query: {}, body }, { signal }),
    staleTime: REVIEW_FRESH_MS,
    placeholderData: keepPreviousData,
  })
