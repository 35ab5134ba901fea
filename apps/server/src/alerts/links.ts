import {
  type Alert,
  api,
  DEVICE_TABS,
  devicePath,
  fullPath,
  type RelatedEntity,
  type RelatedType,
  getService,
  USER_TABS,
} from '@custodia/contract'
import { deviceNames, findDisplayNames, personNames } from '../device-records/names-store.ts'
import type { PortalUser } from '../http/context.ts'
import { readableRecordings } from '../payload-records/readable.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { getTabs } from './tabs.ts'

type Reader = Pick<PortalUser, 'client' | 'access'>
type AlertEntities = Pick<Alert, 'related_entities' | 'alert_text'>
type EntityLink = Omit<RelatedEntity, 'entity_id' | 'entity_type'>

/**
 * Adds the portal page, the list and the name of each related entity, as far as the caller may see it; a payload that
 * the caller may not read has neither.
 */
export async function withLinks<T extends AlertEntities>(
  q: Queryable,
  reader: Reader,
  alerts: readonly T[],
): Promise<T[]> {
  const entities = alerts.flatMap(({ related_entities }) => related_entities)
  const getIds = (type: RelatedType) => [
    ...new Set(entities.filter(({ entity_type }) => entity_type === type).map(({ entity_id }) => entity_id)),
  ]
  const references = getIds('Payload')
  const devices = await deviceNames(q, reader.access, getIds('Device'))
  const people = await personNames(q, reader.access, getIds('DeviceUser'))
  const users = await findDisplayNames(q, getIds('PortalUser'))
  const getName = ({ entity_id, entity_type }: RelatedEntity) => {
    if (entity_type === 'Device') return devices.get(entity_id)?.name
    if (entity_type === 'PortalUser') return users.get(entity_id)
    return entity_type === 'DeviceUser' ? people.get(entity_id) : undefined
  }
  const payloads = references.length > 0 ? await readablePayloads(q, reader, references) : new Map()
  const linked = (entity: RelatedEntity, code: string | undefined): RelatedEntity => ({
    ...entity,
    ...named(getName(entity)),
    ...(entity.entity_type === 'Payload' ? payloads.get(entity.entity_id) : getLinks(reader, entity, code)),
  })
  return alerts.map((alert) => ({
    ...alert,
    related_entities: alert.related_entities.map((entity) => linked(entity, alert.alert_text?.code)),
  }))
}

const named = (entity_name: string | undefined) => (entity_name === undefined ? {} : { entity_name })

function getLinks({ client, access }: Reader, entity: RelatedEntity, code: string | undefined): EntityLink {
  const { entity_id, entity_type } = entity
  const id = encodeURIComponent(entity_id)
  if (entity_type === 'PortalUser')
    return { page_link: `/dashboard/account/audit?users=${id}${getDay(entity)}` }
  if (entity_type === 'Device')
    return {
      page_link: onTab(`/dashboard${devicePath(entity_id)}`, access, DEVICE_TABS, getTabs(code).Device),
      ...(access.may(api.readDevice.action)
        ? { api_link: getAddress('readDevice', { client, device_reference: entity_id }) }
        : {}),
    }
  if (entity_type === 'DeviceUser')
    return {
      page_link: onTab(`/dashboard/devices/users/${id}`, access, USER_TABS, getTabs(code).DeviceUser),
      ...(access.may(api.readDeviceUser.action)
        ? { api_link: getAddress('readDeviceUser', { client, device_user_reference: entity_id }) }
        : {}),
    }
  if (entity_type === 'Migration') return { page_link: `/dashboard/account/migrations/${id}` }
  if (entity_type === 'Transfer') return { page_link: `/dashboard/account/transfers/${id}` }
  if (entity_type === 'Proposal')
    return access.may(api.listProposals.action)
      ? { page_link: `/dashboard/governance/approvals?preview=${id}` }
      : {}
  if (entity_type === 'DataRequest')
    return access.may(api.readDataRequest.action)
      ? { page_link: `/dashboard/governance/requests?request=${id}` }
      : {}
  if (entity_type === 'Destruction')
    return access.may(api.readDestruction.action)
      ? { page_link: `/dashboard/governance/destructions?destruction=${id}` }
      : {}
  if (entity_type === 'Retention')
    return access.may(api.readRetention.action) ? { page_link: '/dashboard/governance/retention' } : {}
  if (entity_type !== 'SupportAccessRequest') return {}
  return {
    page_link: `/dashboard/account/support-access/${id}`,
    ...(access.may(api.readSupportAccess.action)
      ? { api_link: getAddress('readSupportAccess', { client, request_reference: entity_id }) }
      : {}),
  }
}

/** A page at one of its tabs if the caller may open that; else its first tab. */
function onTab<Tab extends string>(
  page: string,
  access: Reader['access'],
  tabs: Readonly<Record<Tab, string>>,
  tab: Tab | undefined,
): string {
  if (tab === undefined || !access.may(tabs[tab])) return page
  return `${page}${page.includes('?') ? '&' : '?'}tab=${tab}`
}

/** Narrows the log to the day and the act of an alert. */
function getDay({ day, action }: RelatedEntity): string {
  if (day === undefined) return ''
  const date = new Date(day * 1000).toISOString().slice(0, 10)
  return `&from=${date}&to=${date}${action === undefined ? '' : `&actions=${encodeURIComponent(action)}`}`
}

async function readablePayloads(
  q: Queryable,
  { client, access }: Reader,
  references: readonly string[],
): Promise<Map<string, EntityLink>> {
  const recordings = await readableRecordings(q, access, references)
  return new Map(
    recordings.map(({ payload_reference, seen }): [string, EntityLink] => {
      const service = getService(seen.payload_type)
      // The list of diagnostics shows each one in a preview.
      const place = service === 'diagnostics' ? `${service}?preview=` : `${service}/`
      const page_link = `/dashboard/services/${place}${encodeURIComponent(payload_reference)}`
      return [
        payload_reference,
        {
          ...named(seen.person_name ?? seen.device_user_reference ?? undefined),
          entity_subtype: seen.payload_type,
          api_link: `${getAddress('readPayload', { payload_reference })}?client=${client}`,
          page_link,
        },
      ]
    }),
  )
}

const getAddress = (
  name: 'readDevice' | 'readDeviceUser' | 'readPayload' | 'readSupportAccess',
  params: Readonly<Record<string, string>>,
): string =>
  fullPath(api[name]).replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
