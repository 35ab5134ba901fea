import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { DataTable } from '../../ui/data-table.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { MorePages, usePart } from './more-pages.tsx'
import { placeWords } from './place-words.ts'
import type { Track } from './track.ts'

/** Stops by time, each with a link to the map. */
export function StopsTable({ tracks, onShow }: { tracks: readonly Track[]; onShow: (time: number) => void }) {
  const { t, i18n } = useLingui()
  const stops = tracks
    .flatMap((track) => track.stops.map((stop) => ({ ...stop, point: track.points[stop.first] })))
    .toSorted((a, b) => a.begin - b.begin)
  const part = usePart(stops, 0)
  if (stops.length === 0)
    return (
      <Text c="dimmed">
        <Trans>No stops of ten minutes within 150 metres.</Trans>
      </Text>
    )
  return (
    <>
      <DataTable
        caption={t`Stops`}
        columns={[
          { id: 'begin', label: t`From`, cell: (row) => <Time at={row.begin} /> },
          { id: 'end', label: t`To`, cell: (row) => <Time at={row.end} /> },
          {
            id: 'length',
            label: t`Duration`,
            align: 'end',
            cell: (row) => formatDuration(row.end - row.begin),
          },
          { id: 'place', label: t`Place`, cell: (row) => placeWords(row, i18n) },
        ]}
        rows={part.rows}
        keyOf={(row) => `${row.point?.device_reference} ${row.begin}`}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.begin)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}
