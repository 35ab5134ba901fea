import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useProfile } from '../../api/use-profile.ts'
import type { Tiles } from './tiles.ts'

/** The word in the address that asks for a provider's streets. The server lets only such a page reach the provider. */
export const STREETS = 'streets'

/** The provider's map, where one is set up and somebody asked for it. */
export function useTiles(): Tiles | undefined {
  const { map_key = '', map_tiles, map_attribution = '' } = useProfile().portal_config
  const { map } = useSearch({ strict: false }) as { map?: string }
  const isShown = map === STREETS && isLoadedWithStreets()
  return useMemo(
    () =>
      isShown && map_tiles !== undefined
        ? {
            address: map_tiles.replace('{map_key}', encodeURIComponent(map_key)),
            attribution: map_attribution,
          }
        : undefined,
    [isShown, map_tiles, map_key, map_attribution],
  )
}

/** What a page may reach is settled when it is loaded, whatever its address becomes. */
function isLoadedWithStreets(): boolean {
  const loaded = performance.getEntriesByType('navigation')[0]?.name
  return loaded !== undefined && new URL(loaded).searchParams.get('map') === STREETS
}
