import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { Hint } from './hint.tsx'
import { formatTime, viewerZone, zoneName } from './time-format.ts'

/**
 * A time in the viewer's zone. The recording's local time is in the tooltip, or on a second line with `secondary`,
 * where it differs.
 * @param at epoch seconds
 * @param zone IANA zone of the recording, e.g. `America/Sao_Paulo`
 */
export function Time({
  at,
  zone,
  secondary = false,
  style = 'minute',
}: {
  at: number
  zone?: string | undefined
  secondary?: boolean
  style?: 'minute' | 'second' | 'day'
}) {
  const { i18n, t } = useLingui()
  const there = zone ?? viewerZone()
  const shown = formatTime(at, i18n.locale, viewerZone(), style)
  const local = `${formatTime(at, i18n.locale, there, 'second')} ${zoneName(at, i18n.locale, there)}`
  const moment = <time dateTime={new Date(at * 1000).toISOString()}>{shown}</time>
  if (secondary) {
    return (
      <span>
        {moment}
        {there !== viewerZone() && (
          <Text span display="block" size="xs" c="dimmed">
            {t`There: ${local}`}
          </Text>
        )}
      </span>
    )
  }
  return <Hint label={zone === undefined ? local : t`Recording location time: ${local}`}>{moment}</Hint>
}
