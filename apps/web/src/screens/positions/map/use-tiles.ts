import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useProfile } from '../../../api/use-profile.ts'
import type { Tiles } from './tiles.ts'

/** Address parameter that requests a provider's streets. The server permits the provider only for such a page. */
export const STREETS = 'streets'

/** The provider's tiles, where configured and requested by the user. */
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

/** The content security policy is fixed at page load. */
function isLoadedWithStreets(): boolean {
  const loaded = performance.getEntriesByType('navigation')[0]?.name
  return loaded !== undefined && new URL(loaded).searchParams.get('map') === STREETS
}
