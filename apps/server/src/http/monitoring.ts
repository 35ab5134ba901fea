import { MAP_SOURCES, type Profile } from '@custodia/contract'
import * as z from 'zod/mini'

const Address = z.string().check(z.maxLength(1000), z.regex(/^https?:\/\/[^/{}]+\//))

/** A map with streets (spec section 3: map key), from one source; addresses may contain `{map_key}`. */
const MapProvider = z
  .strictObject({
    /** Address of a picture, with `{z}`, `{x}` and `{y}`. */
    tiles: z.optional(
      Address.check(z.refine((value) => ['{z}', '{x}', '{y}'].every((part) => value.includes(part)))),
    ),
    /** Address of a MapLibre style. */
    style: z.optional(Address),
    /** Address of a PMTiles file: pictures, or vectors in the Protomaps schema. */
    pmtiles: z.optional(Address),
    map_key: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
    /** The provider's attribution on its map. */
    attribution: z.string().check(z.minLength(1), z.maxLength(300)),
  })
  .check(z.refine((map) => MAP_SOURCES.filter((source) => map[source] !== undefined).length === 1))

/** By client; `*` for all others, null for none. */
const MapsByClient = z.record(z.string(), z.nullable(MapProvider))
export type MapsByClient = z.output<typeof MapsByClient>

/** The setting `MAPS`; undefined when it is no such JSON. */
export function readMaps(text: string): MapsByClient | undefined {
  try {
    return MapsByClient.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The map in the profile of a client's people. */
export function portalMap(
  { maps }: { maps: MapsByClient },
  client: string,
): Pick<Profile['portal_config'], 'map_key' | 'map_source' | 'map_address' | 'map_attribution'> {
  const found = Object.hasOwn(maps, client) ? maps[client] : maps['*']
  const source = found && MAP_SOURCES.find((each) => found[each] !== undefined)
  if (!source) return {}
  const { map_key, attribution, [source]: address } = found
  return {
    ...(map_key !== undefined && { map_key }),
    map_source: source,
    map_address: address,
    map_attribution: attribution,
  }
}

/** Origins that a map may load from: providers of all clients, because the page loads before the sign-in. */
export const mapOrigins = ({ maps }: { maps: MapsByClient }): string[] => [
  ...new Set(
    Object.values(maps).flatMap((each) =>
      MAP_SOURCES.flatMap((source) => (each?.[source] ? [new URL(each[source]).origin] : [])),
    ),
  ),
]

/** Pages with device positions, in either language. */
const PLACES = /^(?:\/(?:pt-BR|en-GB))?\/dashboard\/devices(?:\/|$)/

/** Whether the page at this address may load a provider's map: it shows a map, with streets. */
export function showsStreets(url: string): boolean {
  const { pathname, searchParams } = new URL(url, 'http://portal')
  if (!PLACES.test(pathname) || searchParams.get('map') !== 'streets') return false
  return pathname.endsWith('/gps') || searchParams.get('tab') === 'gps' || searchParams.get('tab') === 'map'
}

/** Real-user monitoring of a client's people (spec section 7), as `aws-rum-web` wants it. */
const Monitoring = z.strictObject({
  application_id: z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  region: z.string().check(z.regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/)),
  /** Its client configuration. */
  config: z._default(z.record(z.string(), z.unknown()), {}),
})
type Monitoring = z.output<typeof Monitoring>

/** By client; `*` for all others, null for none. */
const MonitoringByClient = z.record(z.string(), z.nullable(Monitoring))
export type MonitoringByClient = z.output<typeof MonitoringByClient>

/** Reads the setting, JSON text; undefined for anything else. */
export function readMonitoring(text: string): MonitoringByClient | undefined {
  try {
    const parsed = MonitoringByClient.safeParse(JSON.parse(text))
    return parsed.success && getOrigins(parsed.data).every((origin) => origin.startsWith('http'))
      ? parsed.data
      : undefined
  } catch {
    return undefined
  }
}

/**
 * The monitoring settings in the profile of a client's people (spec section 3); none in local mode, where no
 * customer works.
 */
export function portalMonitoring(
  { monitoring, publicUrl }: { monitoring: MonitoringByClient; publicUrl: string },
  client: string,
): { monitoring_config?: string; monitoring_application_id?: string; monitoring_region?: string } {
  const found = Object.hasOwn(monitoring, client) ? monitoring[client] : monitoring['*']
  if (!found || isLocal(publicUrl)) return {}
  const { config, application_id, region } = found
  return {
    monitoring_config: JSON.stringify(config),
    monitoring_application_id: application_id,
    monitoring_region: region,
  }
}

/**
 * The origins that pages need for monitoring: those of all clients, because the page loads before the
 * sign-in.
 */
export const monitoringOrigins = (config: { monitoring: MonitoringByClient; publicUrl: string }): string[] =>
  isLocal(config.publicUrl) ? [] : getOrigins(config.monitoring)

function getOrigins(monitoring: MonitoringByClient): string[] {
  const all = Object.values(monitoring).flatMap((each) => (each ? originsFor(each) : []))
  return [...new Set(all)]
}

function originsFor({ region, config }: Monitoring): string[] {
  const endpoint = config.endpoint ?? `https://dataplane.rum.${region}.amazonaws.com`
  const origin = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint).origin : ''
  // Credentials of visitors come from an identity pool, where the monitor names one.
  const asksForCredentials = config.identityPoolId !== undefined || config.guestRoleArn !== undefined
  const services = asksForCredentials ? ['cognito-identity', 'sts'] : []
  return [origin, ...services.map((service) => `https://${service}.${region}.amazonaws.com`)]
}

/** Whether the portal is reached on the machine itself. */
function isLocal(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.(?:\d+\.){2}\d+$/.test(hostname)
}
