import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'

/** A device user, for the drawer and the preview. */
export const userQuery = recordQuery('readDeviceUser', (device_user_reference, options) =>
  fleetApi.readDeviceUser({ params: { device_user_reference }, query: {} }, options),
)

/** What the phones of somebody still hold. */
export const queueQuery = (device_user_reference: string) =>
  queryOptions({
    queryKey: keyOf('readUserQueue', device_user_reference),
    queryFn: ({ signal }) =>
      fleetApi.readUserQueue({ params: { device_user_reference }, query: {} }, { signal }),
  })
