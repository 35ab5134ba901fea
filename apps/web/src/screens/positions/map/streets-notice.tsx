import { Trans } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useProfile } from '../../../api/use-profile.ts'
import { STREETS, useTiles } from './use-tiles.ts'

/** Explains the map, and that the tile provider sees the viewed area. */
export function StreetsNotice() {
  const { map_tiles } = useProfile().portal_config
  const tiles = useTiles()
  if (map_tiles === undefined)
    return (
      <Text size="sm" c="dimmed">
        <Trans>This map has coasts, borders and place names only. No street map is configured.</Trans>
      </Text>
    )
  const { host } = new URL(map_tiles)
  return (
    <Group gap="sm">
      <Text size="sm" flex="1 1 260px">
        {tiles ? (
          <Trans>Streets come from {host}, which sees the places you view.</Trans>
        ) : (
          <Trans>The map can show streets; {host} then sees the places you view.</Trans>
        )}
      </Text>
      <Button size="xs" variant="default" onClick={() => reload(tiles === undefined)}>
        {tiles ? <Trans>Without streets</Trans> : <Trans>Show streets</Trans>}
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
