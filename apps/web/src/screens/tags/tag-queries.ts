import type { StoredTag } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** A tag definition as it is read for editing: once, so that nothing changes below the person's hands. */
export const tagQuery = (tag_key: string) =>
  queryOptions({
    queryKey: keyOf('readTag', tag_key),
    queryFn: ({ signal }): Promise<StoredTag> => api.readTag({ params: { tag_key }, query: {} }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
