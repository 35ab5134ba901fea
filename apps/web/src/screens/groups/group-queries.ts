import type { StoredGroup } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** A group as it is read for editing: once, so that nothing changes below the person's hands. */
export const groupQuery = (group_reference: string) =>
  queryOptions({
    queryKey: keyOf('readGroup', group_reference),
    queryFn: ({ signal }): Promise<StoredGroup> =>
      api.readGroup({ params: { group_reference }, query: {} }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
