import { Trans } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useProfile } from '../../../api/use-profile.ts'
import type { Streets } from './style.ts'

/** Address parameter that requests a provider's streets. The server permits the provider only for such a page. */
const STREETS = 'streets'

/** The configured streets, where the user requests them. */
export function useStreets(): Streets | undefined {
  const { map_key = '', map_source, map_address, map_attribution = '' } = useProfile().portal_config
  const { map } = useSearch({ strict: false }) as { map?: string }
  const isShown = map === STREETS && isLoadedWithStreets()
  return useMemo(
    () =>
      isShown && map_source !== undefined && map_address !== undefined
        ? {
            source: map_source,
            address: map_address.replaceAll('{map_key}', encodeURIComponent(map_key)),
            attribution: map_attribution,
          }
        : undefined,
    [isShown, map_source, map_address, map_key, map_attribution],
  )
}

/** The content security policy is fixed at page load. */
function isLoadedWithStreets(): boolean {
  const loaded = performance.getEntriesByType('navigation')[0]?.name
  return loaded !== undefined && new URL(loaded).searchParams.get('map') === STREETS
}

/** Explains the map, and that the provider sees the viewed area. */
export function StreetsNotice() {
  const { map_address } = useProfile().portal_config
  const streets = useStreets()
  if (map_address === undefined)
    return (
      <Text size="sm" c="dimmed">
        <Trans>This map has coasts, borders and place names only. No street map is configured.</Trans>
      </Text>
    )
  const { host } = new URL(map_address)
  return (
    <Group gap="sm">
      <Text size="sm" flex="1 1 260px">
        {streets ? (
          <Trans>Streets come from {host}, which sees the places you view.</Trans>
        ) : (
          <Trans>The map can show streets; {host} then sees the places you view.</Trans>
        )}
      </Text>
      <Button size="xs" variant="default" onClick={() => reload(streets === undefined)}>
        {streets ? <Trans>Without streets</Trans> : <Trans>Show streets</Trans>}
      </Button>
    </Group>
  )
}

/** Reloads the page: the content security policy with the provider applies on load. */
function reload(isWithStreets: boolean): void {
  const address = new URL(window.location.href)
  if (isWithStreets) address.searchParams.set('map', STREETS)
  else address.searchParams.delete('map')
  window.location.assign(address)
}
