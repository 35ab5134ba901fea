import { api, devicePath, fullPath, type RelatedEntity, serviceOf } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'
import { findPayloadSubjects } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** Services whose payloads have a page of their own in the portal. */
const PAGES: ReadonlySet<string> = new Set(['calls', 'messages'])

type Reader = Pick<PortalUser, 'client' | 'access'>
type Shown = Omit<RelatedEntity, 'entity_id' | 'entity_type'>

/** Adds to what alerts are about where it is shown and read; a payload that the caller may not read has neither. */
export async function withLinks<T extends { related_entities: RelatedEntity[] }>(
  q: Queryable,
  reader: Reader,
  alerts: readonly T[],
): Promise<T[]> {
  const references = alerts
    .flatMap(({ related_entities }) => related_entities)
    .filter(({ entity_type }) => entity_type === 'Payload')
    .map(({ entity_id }) => entity_id)
  const payloads = references.length > 0 ? await readablePayloads(q, reader, references) : new Map()
  const linked = (entity: RelatedEntity): RelatedEntity => ({
    ...entity,
    ...(entity.entity_type === 'Payload' ? payloads.get(entity.entity_id) : linksOf(reader, entity)),
  })
  return alerts.map((alert) => ({ ...alert, related_entities: alert.related_entities.map(linked) }))
}

function linksOf({ client, access }: Reader, { entity_id, entity_type }: RelatedEntity): Shown {
  const id = encodeURIComponent(entity_id)
  if (entity_type === 'PortalUser') return { page_link: `/dashboard/account/audit?users=${id}` }
  if (entity_type === 'Device')
    return {
      page_link: `/dashboard${devicePath(entity_id)}`,
      ...(access.may(api.readDevice.action)
        ? { api_link: addressOf('readDevice', { client, device_reference: entity_id }) }
        : {}),
    }
  if (entity_type === 'DeviceUser')
    return {
      page_link: `/dashboard/devices/users/${id}`,
      ...(access.may(api.readDeviceUser.action)
        ? { api_link: addressOf('readDeviceUser', { client, device_user_reference: entity_id }) }
        : {}),
    }
  if (entity_type !== 'SupportAccessRequest') return {}
  return {
    page_link: `/dashboard/account/support-access?preview=${id}`,
    ...(access.may(api.readSupportAccess.action)
      ? { api_link: addressOf('readSupportAccess', { client, request_reference: entity_id }) }
      : {}),
  }
}

async function readablePayloads(
  q: Queryable,
  { client, access }: Reader,
  references: readonly string[],
): Promise<Map<string, Shown>> {
  const payloads = await findPayloadSubjects(q, references)
  return new Map(
    payloads.flatMap(({ payload_reference, payload_type, group_id }): [string, Shown][] => {
      const service = serviceOf(payload_type)
      if (!access.permits('payloads:read', { group_id, payload_type })) return []
      const page_link = `/dashboard/services/${service}/${encodeURIComponent(payload_reference)}`
      const shown = {
        entity_subtype: payload_type,
        api_link: `${addressOf('readPayload', { payload_reference })}?client=${client}`,
      }
      return [[payload_reference, PAGES.has(service) ? { ...shown, page_link } : shown]]
    }),
  )
}

const addressOf = (
  name: 'readDevice' | 'readDeviceUser' | 'readPayload' | 'readSupportAccess',
  params: Readonly<Record<string, string>>,
): string =>
  fullPath(api[name]).replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
