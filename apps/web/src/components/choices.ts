import type { Page, StoredGroup, StoredRole, StoredTag, Total } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

/** Names offered in a select at most; further ones can be typed. */
const OFFERED = 1_000
const PAGE = 200

async function firstRows<Row>(
  read: (paging: { limit: number; last_key?: string | undefined }) => Promise<Page<Row> | Total>,
): Promise<Row[]> {
  const rows: Row[] = []
  let last_key: string | undefined
  do {
    const page = await read({ limit: PAGE, last_key })
    if (!('data' in page)) break
    rows.push(...page.data)
    last_key = page.last_key
  } while (last_key !== undefined && rows.length < OFFERED)
  return rows
}

/** The tag definitions of the client, for fields and filters; what cannot be read is not offered. */
export const tagDefinitionsQuery = queryOptions({
  queryKey: ['choices', 'tags'],
  queryFn: ({ signal }): Promise<StoredTag[]> => firstRows((query) => api.listTags({ query }, { signal })),
})

/** The groups within reach. */
export const groupChoicesQuery = queryOptions({
  queryKey: ['choices', 'groups'],
  queryFn: ({ signal }): Promise<StoredGroup[]> =>
    firstRows((query) => api.listGroups({ query }, { signal })),
})

/** All roles, those of the system included. */
export const roleChoicesQuery = queryOptions({
  queryKey: ['choices', 'roles'],
  queryFn: ({ signal }): Promise<StoredRole[]> => firstRows((query) => api.listRoles({ query }, { signal })),
})
