import type { Endpoint, ProblemCode } from '@custodia/contract'

/** Problems that any call may return. */
const ANY: readonly ProblemCode[] = ['too_many_requests', 'internal', 'unavailable']

/** Problems that any call of a kind may return. */
const COMMON: Readonly<Record<Endpoint['authentication'], readonly ProblemCode[]>> = {
  none: ['invalid_input'],
  address: ['invalid_input', 'address_expired'],
  portal: [
    'invalid_input',
    'authentication_required',
    'session_ended',
    'terms_required',
    'not_permitted',
    'network_not_permitted',
    'support_mode_ended',
    'not_found',
  ],
  device: ['invalid_input', 'device_authentication_required'],
}

/** Problems of any call with a JSON body. */
const OF_BODY: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type']

/** All problems of a call: those of every call of its kind, and those that it declares. */
export const problemsOf = (endpoint: Endpoint): readonly ProblemCode[] => [
  ...COMMON[endpoint.authentication],
  ...(endpoint.body ? OF_BODY : []),
  ...(endpoint.problems ?? []),
  ...ANY,
]
