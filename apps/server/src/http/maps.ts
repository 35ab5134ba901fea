import * as z from 'zod/mini'

/** A provider's map with streets (spec section 3: map key). */
const MapProvider = z.strictObject({
  /** Address of a picture, with `{z}`, `{x}`, `{y}` and, where the provider asks for one, `{map_key}`. */
  tiles: z.string().check(
    z.maxLength(1000),
    z.refine(
      (value) =>
        /^https?:\/\/[^/{}]+\//.test(value) && ['{z}', '{x}', '{y}'].every((part) => value.includes(part)),
    ),
  ),
  map_key: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
  /** The provider's attribution on its map. */
  attribution: z.string().check(z.minLength(1), z.maxLength(300)),
})

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
): { map_key?: string; map_tiles?: string; map_attribution?: string } {
  const found = Object.hasOwn(maps, client) ? maps[client] : maps['*']
  if (!found) return {}
  const { tiles, map_key, attribution } = found
  return { ...(map_key !== undefined && { map_key }), map_tiles: tiles, map_attribution: attribution }
}

/**
 * Origins of the map pictures that a page may load: providers of all clients, because the page loads before
 * the sign-in.
 */
export const mapOrigins = ({ maps }: { maps: MapsByClient }): string[] => [
  ...new Set(Object.values(maps).flatMap((each) => (each ? [new URL(each.tiles).origin] : []))),
]

/** Pages with device positions, in either language. */
const PLACES = /^(?:\/(?:pt-BR|en-GB))?\/dashboard\/devices(?:\/|$)/

/** Whether the page at this address may load a provider's map: it shows a map, with streets. */
export function showsStreets(url: string): boolean {
  const { pathname, searchParams } = new URL(url, 'http://portal')
  if (!PLACES.test(pathname) || searchParams.get('map') !== 'streets') return false
  return pathname.endsWith('/gps') || searchParams.get('tab') === 'gps' || searchParams.get('tab') === 'map'
}
