import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'

/** An enrolment, for its preview and while its device is expected. */
export const enrolmentQuery = (enrolment_reference: string) =>
  queryOptions({
    queryKey: keyOf('readEnrolment', enrolment_reference),
    queryFn: ({ signal }) =>
      fleetApi.readEnrolment({ params: { enrolment_reference }, query: {} }, { signal }),
  })
