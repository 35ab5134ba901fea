import { type PayloadType, type Service, serviceOf } from '@custodia/contract'

/** The services whose payloads have a page of their own. */
export const DETAIL_ROUTES = {
  calls: '/dashboard/services/calls/$payload_reference',
  messages: '/dashboard/services/messages/$payload_reference',
} as const satisfies Partial<Record<Service, string>>
export type DetailService = keyof typeof DETAIL_ROUTES

/** The service whose page shows a payload type; undefined for types without a page. */
export function detailService(type: PayloadType): DetailService | undefined {
  const service = serviceOf(type)
  return service in DETAIL_ROUTES ? (service as DetailService) : undefined
}

/** The route that shows a payload type; undefined for types without one. */
export function detailRoute(type: PayloadType): (typeof DETAIL_ROUTES)[DetailService] | undefined {
  const service = detailService(type)
  return service === undefined ? undefined : DETAIL_ROUTES[service]
}
