import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { queryClient } from '../../api/query-client.ts'
import { refreshLists } from '../../components/lists/refresh-list.ts'

/** Key of the list of client apps. */
export const APPS_LIST = 'client-apps'

/** A client app as it is read for editing: once, so that nothing changes below the person's hands. */
export const appQuery = (app_reference: string) =>
  queryOptions({
    queryKey: ['client-app', app_reference],
    queryFn: ({ signal }) => api.readClientApp({ params: { app_reference }, query: {} }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Client apps were saved or deleted: whatever shows them is read again. */
export const appsChanged = (): Promise<unknown> =>
  Promise.all([refreshLists(APPS_LIST), queryClient.invalidateQueries({ queryKey: ['client-app'] })])
