import { GPS_PAGE_LIMIT, type LastPosition } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import {
  Box,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
  useComputedColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { gpsOfDevice } from '../../components/devices/device-at.ts'
import { SILENCE_WORDS } from '../../components/words/device-words.ts'
import { LinkButton } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { MAP_COLOURS } from '../positions/map/colours.ts'
import { type Focus, MapView } from '../positions/map/map.tsx'
import { StreetsNotice, useStreets } from '../positions/map/streets-notice.tsx'
import { type Coordinates, usePlaceNames } from '../positions/map/use-place-names.ts'
import { MorePages, PART, placeWords, useCurrentItem, usePart } from '../positions/more-pages.tsx'
import { getBounds } from '../positions/track.ts'
import {
  type Age,
  getAge,
  AGES,
  DEVICES_CONTENT,
  devicesData,
  getHolder,
  type DrawnState,
  getDrawnState,
  DRAWN_STATES,
} from './device-layers.ts'
import classes from '../positions/map/map-list.module.css'

/** `/dashboard/devices?tab=map`: last position of each device in the viewer's groups. */
export default function LastPositions() {
  const { t } = useLingui()
  const query = useInfiniteQuery({
    queryKey: getKey('listLastPositions', 'all'),
    // The first page is small, so that the map shows early.
    queryFn: ({ pageParam: last_key, signal }) => {
      const paging = last_key === undefined ? { limit: FIRST_POSITIONS } : { limit: GPS_PAGE_LIMIT, last_key }
      return gpsApi.listLastPositions({ query: paging }, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
  })
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  const found = useMemo(() => data?.pages.flatMap((page) => page.data), [data])
  const lacks = hasNextPage && !isFetching && !isError && (found?.length ?? 0) < MAX_POSITIONS
  useEffect(() => {
    if (lacks) void fetchNextPage()
  }, [lacks, fetchNextPage])
  return (
    <>
      <PageHeader title={t`Last positions`} />
      <QueryResult query={{ ...query, data: found }} pending={<Skeleton h={480} aria-busy="true" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon="pin"
              title={t`No positions yet`}
              description={<Trans>Last positions appear here for phones with the GPS service.</Trans>}
            />
          ) : (
            <PositionsView rows={rows} />
          )
        }
      </QueryResult>
    </>
  )
}

const AGE_WORDS = {
  fresh: msg`Within the hour`,
  recent: msg`Within a day`,
  old: msg`Older`,
} as const
const STATE_WORDS = {
  active: msg({ context: 'device', message: 'Activated' }),
  silent: msg`Silent`,
  alive: SILENCE_WORDS.silent_but_alive,
  blocked: msg({ context: 'device', message: 'Blocked' }),
  inactive: msg`Pending or deactivated`,
  unknown: msg`State not visible`,
} as const
const ALL = ''
/** Positions of the first page, and on the map at most. */
const FIRST_POSITIONS = 100
const MAX_POSITIONS = 20_000
/** Zoom of a device that was chosen in the list. */
const CLOSE = 11

/** Rows whose holder, number or group contains the text, of a state, an age and a group. */
function matching(
  rows: readonly LastPosition[],
  { text, state, age, group }: { text: string; state: string; age: string; group: string },
  now: number,
): LastPosition[] {
  const plain = (each: string) => each.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain(text).split(/\s+/)
  // National notation begins with zeros.
  const digits = /^[+\d\s().-]+$/.test(text) ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : ''
  return rows.filter((row) => {
    if ((age !== ALL && getAge(row, now) !== age) || (group !== ALL && row.group !== group)) return false
    if (state !== ALL && getDrawnState(row) !== state) return false
    if (digits !== '' && row.phone_numbers?.some((each) => each.includes(digits))) return true
    const known = plain(
      [getHolder(row), row.device_user_reference, row.device_reference, row.group].join(' '),
    )
    return words.every((word) => known.includes(word))
  })
}

function PositionsView({ rows }: { rows: readonly LastPosition[] }) {
  const { t } = useLingui()
  const streets = useStreets()
  const [now] = useState(() => Date.now() / 1000)
  const [filter, setFilter] = useState({ text: '', state: ALL, age: ALL, group: ALL })
  const [picked, setPicked] = useState<LastPosition>()
  const [focus, setFocus] = useState<Focus>()
  const typed = useDeferredValue(filter)
  const found = useMemo(() => matching(rows, typed, now), [rows, typed, now])
  const placed = useMemo(() => found.filter(({ latitude }) => latitude !== null), [found])
  const data = useMemo(
    () => ({ devices: devicesData(placed), picked: devicesData(picked ? [picked] : []) }),
    [placed, picked],
  )
  const bounds = useMemo(() => getBounds([coordinates(placed)]), [placed])
  const show = (row: LastPosition) => {
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
        <DeviceList rows={found} picked={picked} onShow={show} />
      </div>
      <Legend rows={rows} />
      <StreetsNotice />
    </Stack>
  )
}

const coordinates = (rows: readonly LastPosition[]) => ({
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
  rows: readonly LastPosition[]
  filter: Filter
  onChange: (filter: Filter) => void
  now: number
}) {
  const { t, i18n } = useLingui()
  const groups = useMemo(() => [...new Set(rows.map(({ group }) => group))].toSorted(), [rows])
  const count = (age: Age) => i18n.number(rows.filter((row) => getAge(row, now) === age).length)
  return (
    <Box
      display="grid"
      maw={760}
      style={{
        gridTemplateColumns: 'repeat(auto-fit, minmax(min(160px, 45%), 1fr))',
        gap: 'var(--mantine-spacing-sm)',
      }}
    >
      <TextInput
        type="search"
        label={t`Search`}
        placeholder={t`Name, number or group`}
        value={filter.text}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, text: value })}
      />
      <NativeSelect
        label={t`State`}
        value={filter.state}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, state: value })}
        data={[
          { value: ALL, label: t`All states` },
          ...countStates(rows).map(([state, count]) => ({
            value: state,
            label: `${i18n._(STATE_WORDS[state])} (${i18n.number(count)})`,
          })),
        ]}
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
    </Box>
  )
}

/** States of the rows and their numbers, the most urgent first. */
const countStates = (rows: readonly LastPosition[]): [state: DrawnState, count: number][] => {
  const found = Map.groupBy(rows, getDrawnState)
  return DRAWN_STATES.flatMap((state) => (found.has(state) ? [[state, found.get(state)?.length ?? 0]] : []))
}

/** Colour of a state on the map, with its word for screen readers. */
function StateDot({ state, isNamed = true }: { state: DrawnState; isNamed?: boolean }) {
  const { i18n } = useLingui()
  const colours = MAP_COLOURS[useComputedColorScheme('light')]
  return (
    <span className={classes.dot} style={{ background: colours[state] }} title={i18n._(STATE_WORDS[state])}>
      {isNamed && <VisuallyHidden>{i18n._(STATE_WORDS[state])}</VisuallyHidden>}
    </span>
  )
}

/** What the colours and numbers on the map mean. */
function Legend({ rows }: { rows: readonly LastPosition[] }) {
  const { i18n } = useLingui()
  return (
    <Group gap="4px 16px">
      {countStates(rows).map(([state]) => (
        <Group key={state} gap={6}>
          <StateDot state={state} isNamed={false} />
          <Text size="sm">{i18n._(STATE_WORDS[state])}</Text>
        </Group>
      ))}
      <Text size="sm" c="dimmed">
        <Trans>A number stands for several devices; its colour is that of the most urgent state.</Trans>
      </Text>
    </Group>
  )
}

/** The list of devices next to the map: a click shows one on the map. */
function DeviceList({
  rows,
  picked,
  onShow,
}: {
  rows: readonly LastPosition[]
  picked: LastPosition | undefined
  onShow: (row: LastPosition) => void
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
  placeName,
}: {
  row: LastPosition
  isPicked: boolean
  onShow: (row: LastPosition) => void
  placeName: (position: Coordinates) => string | undefined
}) {
  const { t, i18n } = useLingui()
  return (
    <li className={classes.item} aria-current={isPicked}>
      <UnstyledButton className={classes.show} onClick={() => onShow(row)}>
        <Group gap={8} wrap="nowrap">
          <StateDot state={getDrawnState(row)} />
          <Text size="sm" fw={600} truncate>
            {getHolder(row)}
          </Text>
        </Group>
        <Text size="sm" c="dimmed" component="div">
          <Time at={row.timestamp} /> · {visible(row.group)}
        </Text>
        <Text size="sm" component="div">
          {row.latitude === null ? t`Cannot be opened` : (placeName(row) ?? placeWords(row, i18n))}
        </Text>
      </UnstyledButton>
      <LinkButton size="xs" variant="default" {...gpsOfDevice(row.device_reference)}>
        <Trans>Track</Trans>
      </LinkButton>
    </li>
  )
}
