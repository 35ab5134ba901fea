import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text, UnstyledButton } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { formatTime } from '../../ui/time-format.ts'
import type { Coordinates } from './map/use-place-names.ts'
import { MorePages, PART, useCurrentItem, usePart } from './more-pages.tsx'
import type { Segment } from './segments.ts'
import classes from './map/map-list.module.css'

const DAY_SECONDS = 86_400

/** Begin and end of a part; with the date where a track is longer than a day. */
function useTimes(segments: readonly Segment[]) {
  const { i18n } = useLingui()
  const isLong = (segments.at(-1)?.end ?? 0) - (segments[0]?.begin ?? 0) > DAY_SECONDS
  return ({ begin, end }: Segment) =>
    `${formatTime(begin, i18n.locale, undefined, isLong ? 'minute' : 'clock')}–${formatTime(end, i18n.locale, undefined, 'clock')}`
}

/** Stays with their places, ways and gaps by time; a click shows one on the map. */
export function TrackList({
  segments,
  time,
  getPlace,
  onShow,
}: {
  segments: readonly Segment[]
  time: number
  getPlace: (position: Coordinates) => string
  onShow: (time: number) => void
}) {
  const { t } = useLingui()
  const getTimes = useTimes(segments)
  const index = segments.findIndex(({ begin, end }) => begin <= time && time < end)
  const part = usePart(segments, Math.max(0, Math.floor(index / PART)))
  const list = useCurrentItem(index)
  if (segments.length === 0)
    return (
      <Text c="dimmed">
        <Trans>A single position has no stops.</Trans>
      </Text>
    )
  return (
    <Stack gap="xs">
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <ul ref={list} className={classes.list} aria-label={t`Stops and trips`} tabIndex={0}>
        {part.rows.map((segment) => (
          <li
            key={`${segment.device_reference} ${segment.begin} ${segment.kind}`}
            className={classes.item}
            aria-current={segment === segments[index]}
          >
            <UnstyledButton className={classes.show} onClick={() => onShow(segment.begin)}>
              <SegmentWords segment={segment} times={getTimes(segment)} getPlace={getPlace} />
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {/* oxlint-enable */}
      <MorePages part={part} />
    </Stack>
  )
}

function SegmentWords({
  segment,
  times,
  getPlace,
}: {
  segment: Segment
  times: string
  getPlace: (position: Coordinates) => string
}) {
  const { i18n } = useLingui()
  const minutes = Math.round((segment.end - segment.begin) / 60)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const unit = (value: number, name: 'hour' | 'minute') => i18n.number(value, { style: 'unit', unit: name })
  const stay = [hours > 0 && unit(hours, 'hour'), (rest > 0 || hours === 0) && unit(rest, 'minute')]
    .filter(Boolean)
    .join(' ')
  if (segment.kind === 'stop')
    return (
      <>
        <Text size="sm">
          <Icon name="pin" size={14} /> <strong>{getPlace(segment)}</strong>, {times}
        </Text>
        <Text size="sm" c="dimmed">
          <Trans>Stay: {stay}</Trans>
        </Text>
      </>
    )
  if (segment.kind === 'gap')
    return (
      <Text size="sm" c="dimmed">
        <Trans>No positions, {times}</Trans>
      </Text>
    )
  const length = i18n.number(segment.metres / 1000, {
    style: 'unit',
    unit: 'kilometer',
    maximumFractionDigits: 1,
  })
  return (
    <Text size="sm">
      <Trans>
        On the way, {times}, {length}
      </Trans>
    </Text>
  )
}
