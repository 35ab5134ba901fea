import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { askDataAddress } from '../payloads/data-address.ts'

/** Data URL of the photo, requested once when the page opens: the audited act. */
export const photoQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: keyOf('readPayloadData', payload_reference),
    queryFn: () => askDataAddress(payload_reference, 'play'),
    staleTime: Number.POSITIVE_INFINITY,
    // The URL lives a minute; a later visit requests a new one.
    gcTime: 0,
    retry: false,
  })
