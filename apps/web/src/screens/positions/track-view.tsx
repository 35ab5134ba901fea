import { AHEAD_SECONDS } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { noteExport } from '../../api/reasons.ts'
import { separatorFor } from '../../components/lists/csv.ts'
import { toDateParameter, toDateParameters, toDayInput } from '../../components/lists/date-range.ts'
import { DATE_PRESETS } from '../../components/lists/date-words.ts'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { getGpx, pointsCsv } from './files.ts'
import { MAX_POINTS, useTrack, type PositionOwner } from './recordings-table.tsx'
import { type Holder, TrackMap } from './track-map.tsx'
import { GAP_SECONDS, type Track } from './track.ts'

/** The days of a track that users look at; each takes one click. */
const PRESETS = [{ from: '-24h', to: undefined, word: msg`24 hours` }, ...DATE_PRESETS.slice(0, 3)]
const OWN = 'own'

/** Date range: a named one, or two days. */
function RangeChoice({
  from,
  to,
  onChange,
}: {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from: string | undefined; to: string | undefined }) => void
}) {
  const { t, i18n } = useLingui()
  const shown = PRESETS.findIndex((each) => each.from === from && each.to === to)
  const day = (side: 'from' | 'to') => ({
    type: 'date' as const,
    value: toDayInput(side === 'from' ? from : (to ?? 'today'), side === 'from' ? 'start' : 'end'),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      if (value !== '') onChange({ from, to, [side]: value })
    },
  })
  return (
    <Group gap="sm" align="end">
      <SegmentedControl
        aria-label={t`Time`}
        style={{ flexWrap: 'wrap' }}
        value={shown === -1 ? OWN : String(shown)}
        onChange={(value) => {
          const preset = PRESETS[Number(value)]
          onChange(
            preset
              ? { from: preset.from, to: preset.to }
              : { from: toDayInput(from), to: toDayInput(to ?? 'today', 'end') },
          )
        }}
        data={[
          ...PRESETS.map(({ word }, i) => ({ value: String(i), label: i18n._(word) })),
          { value: OWN, label: t`Other dates` },
        ]}
      />
      {shown === -1 && (
        <>
          <TextInput label={t`From`} {...day('from')} />
          <TextInput label={t`To`} {...day('to')} />
        </>
      )}
    </Group>
  )
}

/** Range of an address without dates. */
const USUAL = '-24h'

/**
 * Positions of a device, or of a person's devices, on a map and in tables. The address holds the range (`from`, `to`).
 * @param holder the person, or the present holder of the device, for names
 * @param name of the downloaded files
 */
export function TrackView({
  whose,
  holder,
  name,
  head,
}: {
  whose: PositionOwner
  holder: Holder
  name: string
  head: ReactNode
}) {
  const search = useSearch({ strict: false }) as { from?: string; to?: string }
  const navigate = useNavigate()
  const { i18n } = useLingui()
  const most = i18n.number(MAX_POINTS)
  const { from, to } = search.from || search.to ? search : { from: USUAL, to: undefined }
  const [now] = useState(() => Date.now())
  const range = useMemo(() => {
    const asked = toDateParameters({ from, to }, now)
    // A position dated years ahead would stretch the slider; an explicit end date shows such positions.
    return { ...asked, to: asked.to ?? toDateParameter(Math.floor(now / 1000) + AHEAD_SECONDS) }
  }, [from, to, now])
  const { tracks, rows, isComplete, isCut, error, refetch } = useTrack(whose, range)
  const choose = (chosen: { from?: string | undefined; to?: string | undefined }) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, ...chosen })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      {head}
      <Stack>
        <Group justify="space-between" align="end" gap="sm">
          <RangeChoice from={from} to={to} onChange={choose} />
          {tracks && rows > 0 && (
            <ExportButtons whose={whose} range={range} tracks={tracks} name={name} isReady={isComplete} />
          )}
        </Group>
        {tracks === undefined ? (
          error === null ? (
            <Skeleton h={480} aria-busy="true" />
          ) : (
            <ErrorState onRetry={() => void refetch()} />
          )
        ) : rows === 0 ? (
          <NoPositions />
        ) : (
          <>
            <Counts tracks={tracks} rows={rows} isComplete={isComplete} />
            {error !== null && <ErrorState onRetry={() => void refetch()} />}
            {isCut && (
              <Alert color="yellow">
                <Trans>Only the latest {most} positions are shown. Choose a shorter period.</Trans>
              </Alert>
            )}
            <TrackMap tracks={tracks} whose={whose} holder={holder} range={range} />
          </>
        )}
      </Stack>
    </>
  )
}

function NoPositions() {
  const { t } = useLingui()
  return (
    <EmptyState
      icon="pin"
      title={t`No positions in this period`}
      description={<Trans>Phones with the GPS service report positions. Try a longer period.</Trans>}
    />
  )
}

/** Announces the number again when more positions have loaded. */
function Counts({
  tracks,
  rows,
  isComplete,
}: {
  tracks: readonly Track[]
  rows: number
  isComplete: boolean
}) {
  const { t, i18n } = useLingui()
  const sum = (of: (track: Track) => number) => i18n.number(tracks.reduce((all, each) => all + of(each), 0))
  const unreadable = rows - tracks.reduce((all, { points }) => all + points.length, 0)
  const facts = [
    [t`Positions`, i18n.number(rows)],
    [t`Stops`, sum(({ stops }) => stops.length)],
    [t`Gaps`, sum(({ isAfterGap }) => isAfterGap.reduce((all, each) => all + each, 0))],
    ...(tracks.length > 1 ? [[t`Devices`, i18n.number(tracks.length)]] : []),
    ...(unreadable > 0 ? [[t`Cannot be opened`, i18n.number(unreadable)]] : []),
  ]
  const minutes = GAP_SECONDS / 60
  return (
    <output>
      <Group gap="4px 20px">
        {facts.map(([label, value]) => (
          <Text key={label} size="sm">
            {label}: <strong>{value}</strong>
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          {isComplete ? t`A gap is more than ${minutes} minutes without a position.` : t`Still loading …`}
        </Text>
      </Group>
    </output>
  )
}

/** Exports the visible positions once all are loaded. */
function ExportButtons({
  whose,
  range,
  tracks,
  name,
  isReady,
}: {
  whose: PositionOwner
  range: { from: string | undefined; to: string | undefined }
  tracks: readonly Track[]
  name: string
  isReady: boolean
}) {
  const { i18n } = useLingui()
  const save = async (format: 'csv' | 'gpx') => {
    const rows = tracks.reduce((sum, { points }) => sum + points.length, 0)
    const list = 'device_reference' in whose ? 'listGpsOfDevice' : 'listGpsOfUser'
    if (!(await noteExport({ list, format, rows, ...whose, ...range }))) return
    if (format === 'gpx')
      return download([getGpx(tracks)], name, { type: 'application/gpx+xml', ending: 'gpx' })
    const type = 'text/csv;charset=utf-8'
    download([pointsCsv(tracks, separatorFor(i18n.locale))], name, { type, ending: 'csv' })
  }
  const icon = <Icon name="download" size={16} />
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={icon} disabled={!isReady} onClick={() => void save('gpx')}>
        <Trans>GPX</Trans>
      </Button>
      <Button variant="default" leftSection={icon} disabled={!isReady} onClick={() => void save('csv')}>
        <Trans>CSV</Trans>
      </Button>
    </Group>
  )
}
