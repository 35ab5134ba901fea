import type { GpsPoint } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import {
  Button,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
  useComputedColorScheme,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { allPages } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { gpsOfDevice } from '../../components/devices/device-at.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { MAP_COLOURS } from '../positions/map/colours.ts'
import classes from '../positions/map/map-list.module.css'
import { type Focus, MapView } from '../positions/map/map.tsx'
import { StreetsNotice, useStreets } from '../positions/map/streets-notice.tsx'
import { useCurrentItem } from '../positions/map/use-current-item.ts'
import { type Coordinates, usePlaceNames } from '../positions/map/use-place-names.ts'
import { MorePages, PART, placeWords, usePart } from '../positions/more-pages.tsx'
import { boundsOf } from '../positions/track.ts'
import { type Age, ageOf, AGES, DEVICES_CONTENT, devicesData, holderOf } from './device-layers.ts'

/** `/dashboard/devices?tab=map`: last position of each device in the viewer's groups. */
export default function LastPositions() {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: keyOf('listLastPositions', 'all'),
    queryFn: ({ signal }) => allPages((paging) => gpsApi.listLastPositions({ query: paging }, { signal })),
  })
  return (
    <>
      <PageHeader title={t`Last positions`} />
      <Loaded query={query} pending={<Skeleton h={480} aria-busy="true" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon="pin"
              title={t`No positions yet`}
              description={<Trans>Last positions appear here for phones with the GPS service.</Trans>}
            />
          ) : (
            <Shown rows={rows} />
          )
        }
      </Loaded>
    </>
  )
}

const AGE_WORDS = {
  fresh: msg`Within the hour`,
  recent: msg`Within a day`,
  old: msg`Older`,
} as const
const ALL = ''
/** Zoom of a device that was chosen in the list. */
const CLOSE = 11

/** Rows whose holder, number or group contains the text, of an age and a group. */
function matching(
  rows: readonly GpsPoint[],
  { text, age, group }: { text: string; age: string; group: string },
  now: number,
): GpsPoint[] {
  const plain = (each: string) => each.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain(text).split(/\s+/)
  return rows.filter((row) => {
    if ((age !== ALL && ageOf(row, now) !== age) || (group !== ALL && row.group !== group)) return false
    const known = plain([holderOf(row), row.device_user_reference, row.device_reference, row.group].join(' '))
    return words.every((word) => known.includes(word))
  })
}

function Shown({ rows }: { rows: readonly GpsPoint[] }) {
  const { t } = useLingui()
  const streets = useStreets()
  const [now] = useState(() => Date.now() / 1000)
  const [filter, setFilter] = useState({ text: '', age: ALL, group: ALL })
  const [picked, setPicked] = useState<GpsPoint>()
  const [focus, setFocus] = useState<Focus>()
  const typed = useDeferredValue(filter)
  const found = useMemo(() => matching(rows, typed, now), [rows, typed, now])
  const placed = useMemo(() => found.filter(({ latitude }) => latitude !== null), [found])
  const data = useMemo(
    () => ({ devices: devicesData(placed, now), picked: devicesData(picked ? [picked] : [], now) }),
    [placed, picked, now],
  )
  const bounds = useMemo(() => boundsOf([coordinates(placed)]), [placed])
  const show = (row: GpsPoint) => {
    setPicked(row)
    if (row.latitude !== null && row.longitude !== null)
      setFocus({ longitude: row.longitude, latitude: row.latitude, zoom: CLOSE })
  }
  return (
    <Stack gap="sm">
      <Filters rows={rows} filter={filter} onChange={setFilter} now={now} />
      <div className={classes.page}>
        <MapView
          label={t`Map of last positions. Arrow keys move it, plus and minus zoom.`}
          fit={bounds}
          content={DEVICES_CONTENT}
          data={data}
          focus={focus}
          streets={streets}
          onPick={({ device_reference }) =>
            setPicked(found.find((row) => row.device_reference === device_reference))
          }
        />
        <DeviceList rows={found} picked={picked} onShow={show} now={now} />
      </div>
      <StreetsNotice />
    </Stack>
  )
}

const coordinates = (rows: readonly GpsPoint[]) => ({
  longitudes: Float64Array.from(rows, ({ longitude }) => longitude ?? 0),
  latitudes: Float64Array.from(rows, ({ latitude }) => latitude ?? 0),
})

type Filter = Parameters<typeof matching>[1]

function Filters({
  rows,
  filter,
  onChange,
  now,
}: {
  rows: readonly GpsPoint[]
  filter: Filter
  onChange: (filter: Filter) => void
  now: number
}) {
  const { t, i18n } = useLingui()
  const groups = useMemo(() => [...new Set(rows.map(({ group }) => group))].toSorted(), [rows])
  const count = (age: Age) => i18n.number(rows.filter((row) => ageOf(row, now) === age).length)
  return (
    <Group gap="sm" align="end">
      <TextInput
        type="search"
        label={t`Search`}
        placeholder={t`Name, number or group`}
        value={filter.text}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, text: value })}
      />
      <NativeSelect
        label={t`Last position`}
        value={filter.age}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, age: value })}
        data={[
          { value: ALL, label: t`At any time` },
          ...AGES.map((age) => ({ value: age, label: `${i18n._(AGE_WORDS[age])} (${count(age)})` })),
        ]}
      />
      {groups.length > 1 && (
        <NativeSelect
          label={t`Group`}
          value={filter.group}
          onChange={({ currentTarget: { value } }) => onChange({ ...filter, group: value })}
          data={[
            { value: ALL, label: t`All groups` },
            ...groups.map((group) => ({ value: group, label: visible(group) })),
          ]}
        />
      )}
    </Group>
  )
}

/** The list of devices next to the map: a click shows one on the map. */
function DeviceList({
  rows,
  picked,
  onShow,
  now,
}: {
  rows: readonly GpsPoint[]
  picked: GpsPoint | undefined
  onShow: (row: GpsPoint) => void
  now: number
}) {
  const { t } = useLingui()
  const index = picked ? rows.indexOf(picked) : -1
  const part = usePart(rows, Math.max(0, Math.floor(index / PART)))
  const placeName = usePlaceNames()
  const list = useCurrentItem(picked)
  return (
    <Stack gap="xs">
      <Text size="sm" component="output">
        <Plural value={rows.length} one="# device with a position" other="# devices with a position" />
      </Text>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <ul ref={list} className={classes.list} aria-label={t`Last positions`} tabIndex={0}>
        {part.rows.map((row) => (
          <DeviceItem
            key={row.device_reference}
            row={row}
            isPicked={row === picked}
            onShow={onShow}
            now={now}
            placeName={placeName}
          />
        ))}
      </ul>
      {/* oxlint-enable */}
      <MorePages part={part} />
    </Stack>
  )
}

function DeviceItem({
  row,
  isPicked,
  onShow,
  now,
  placeName,
}: {
  row: GpsPoint
  isPicked: boolean
  onShow: (row: GpsPoint) => void
  now: number
  placeName: (position: Coordinates) => string | undefined
}) {
  const { t, i18n } = useLingui()
  const colours = MAP_COLOURS[useComputedColorScheme('light')]
  const age = ageOf(row, now)
  return (
    <li className={classes.item} aria-current={isPicked}>
      <UnstyledButton className={classes.show} onClick={() => onShow(row)}>
        <Group gap={8} wrap="nowrap">
          <span
            className={classes.dot}
            style={{ background: colours[age] }}
            title={i18n._(AGE_WORDS[age])}
            aria-hidden="true"
          />
          <Text size="sm" fw={600} truncate>
            {holderOf(row)}
          </Text>
        </Group>
        <Text size="sm" c="dimmed" component="div">
          <Time at={row.timestamp} /> · {visible(row.group)}
        </Text>
        <Text size="sm" component="div">
          {row.latitude === null ? t`Cannot be opened` : (placeName(row) ?? placeWords(row, i18n))}
        </Text>
      </UnstyledButton>
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => <Link {...props} {...gpsOfDevice(row.device_reference)} />}
      >
        <Trans>Track</Trans>
      </Button>
    </li>
  )
}
