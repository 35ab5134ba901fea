import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { askDataAddress } from '../../components/payloads/data-address.ts'

/** An address of the photo. It is asked for once, when the page is opened: that is the act. */
export const photoQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: keyOf('readPayloadData', payload_reference),
    queryFn: () => askDataAddress(payload_reference, 'play'),
    staleTime: Number.POSITIVE_INFINITY,
    // An address lives a minute: who comes back later opens the photo anew.
    gcTime: 0,
    retry: false,
  })
