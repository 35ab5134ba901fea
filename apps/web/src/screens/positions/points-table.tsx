import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useMemo } from 'react'
import { PersonName } from '../../components/devices/owners.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import type { Coordinates } from './map/use-place-names.ts'
import { MorePages, PART, placeWords, usePart } from './more-pages.tsx'
import type { Track } from './track.ts'

/** All positions by time, in pages; shows the page of the slider's time until the user turns the page. */
export function PointsTable({
  tracks,
  time,
  placeOf,
  onShow,
}: {
  tracks: readonly Track[]
  time: number
  placeOf: (position: Coordinates) => string
  onShow: (time: number) => void
}) {
  const { t, i18n } = useLingui()
  const points = useMemo(
    () => tracks.flatMap((track) => track.points).toSorted((a, b) => a.timestamp - b.timestamp),
    [tracks],
  )
  const next = points.findIndex(({ timestamp }) => timestamp > time)
  const at = Math.floor(Math.max(0, (next === -1 ? points.length : next) - 1) / PART)
  const part = usePart(points, at)
  const metres = (value: number | null) =>
    value === null ? null : i18n.number(value, { style: 'unit', unit: 'meter', maximumFractionDigits: 1 })
  return (
    <>
      <DataTable
        caption={t`Positions`}
        columns={[
          {
            label: t`Time`,
            cell: (row) => <Time at={row.timestamp} zone={row.timezone ?? undefined} style="second" />,
          },
          { label: t`Place`, cell: (row) => <Place row={row} name={placeOf(row)} /> },
          { label: t`Accuracy`, align: 'end', cell: (row) => metres(row.accuracy) },
          { label: t`Altitude`, align: 'end', cell: (row) => metres(row.altitude) },
          { label: t`Source`, cell: (row) => row.provider && visible(row.provider) },
          {
            label: t`Device user`,
            cell: ({ device_user_reference, person_name }) =>
              device_user_reference && <PersonName {...{ device_user_reference, person_name }} />,
          },
        ]}
        rows={part.rows}
        keyOf={(row) => `${row.device_reference} ${row.gps_reference} ${row.timestamp}`}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.timestamp)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}

/** Nearest place, and the coordinates. */
function Place({ row, name }: { row: Coordinates; name: string }) {
  const { i18n } = useLingui()
  const degrees = placeWords(row, i18n)
  return (
    <>
      {name}
      {name !== degrees && (
        <Text size="sm" c="dimmed">
          {degrees}
        </Text>
      )}
    </>
  )
}
