import { type RelatedEntity, serviceOf } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { typeOfCode } from '../payloads/codes.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** Services whose payloads have a page of their own in the portal. */
const PAGES: ReadonlySet<string> = new Set(['calls', 'messages'])

/** Adds to what alerts are about where the portal shows it; a payload that the caller may not read has no page. */
export async function withPageLinks<T extends { related_entities: RelatedEntity[] }>(
  q: Queryable,
  { client_id, access }: { client_id: number; access: Access },
  alerts: readonly T[],
): Promise<T[]> {
  const payloads = alerts
    .flatMap(({ related_entities }) => related_entities)
    .filter(({ entity_type }) => entity_type === 'Payload')
    .map(({ entity_id }) => entity_id)
  const pages = payloads.length > 0 ? await payloadPages(q, client_id, access, payloads) : new Map()
  const linked = (entity: RelatedEntity): RelatedEntity => {
    const page_link = entity.entity_type === 'Payload' ? pages.get(entity.entity_id) : pageOf(entity)
    return page_link === undefined ? entity : { ...entity, page_link }
  }
  return alerts.map((alert) => ({ ...alert, related_entities: alert.related_entities.map(linked) }))
}

function pageOf({ entity_id, entity_type }: RelatedEntity): string | undefined {
  const id = encodeURIComponent(entity_id)
  if (entity_type === 'PortalUser') return `/dashboard/account/audit?users=${id}`
  if (entity_type === 'SupportAccessRequest') return `/dashboard/account/support-access?preview=${id}`
  return undefined
}

async function payloadPages(
  q: Queryable,
  client_id: number,
  access: Access,
  references: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await q.query<{ payload_reference: string; type: number; group_id: number }>(
    'select payload_reference, type, group_id from payloads where client_id = $1 and payload_reference = any($2)',
    [client_id, references],
  )
  return new Map(
    rows.flatMap(({ payload_reference, type, group_id }): [string, string][] => {
      const payload_type = typeOfCode(type)
      const service = serviceOf(payload_type)
      if (!PAGES.has(service) || !access.permits('payloads:read', { group_id, payload_type })) return []
      return [[payload_reference, `/dashboard/services/${service}/${encodeURIComponent(payload_reference)}`]]
    }),
  )
}
