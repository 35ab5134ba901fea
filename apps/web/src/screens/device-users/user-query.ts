import { phonesApi } from '../../api/phones-api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'

/** A device user, for the drawer and the preview. */
export const userQuery = recordQuery('readDeviceUser', (device_user_reference, options) =>
  phonesApi.readDeviceUser({ params: { device_user_reference }, query: {} }, options),
)
