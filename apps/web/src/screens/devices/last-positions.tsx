import type { GpsPoint } from '@custodia/contract'
import { PersonName } from '../../components/devices/owners.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { allPages } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { gpsOfDevice } from '../../components/devices/device-at.ts'
import { drawMarker, placer } from '../positions/draw-track.ts'
import { MorePages, placeWords, usePart } from '../positions/more-pages.tsx'
import { boundsOf } from '../positions/track.ts'
import type { MapLayer } from '../positions/map/draw-basemap.ts'
import { MapView } from '../positions/map/map.tsx'
import { worldX, worldY } from '../positions/map/projection.ts'
import { StreetsNotice, useTiles } from '../positions/map/streets-notice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

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

function Shown({ rows }: { rows: readonly GpsPoint[] }) {
  const { t, i18n } = useLingui()
  const tiles = useTiles()
  const placed = useMemo(() => {
    const known = rows.filter(({ latitude }) => latitude !== null)
    return {
      rows: known,
      xs: Float64Array.from(known, ({ longitude }) => worldX(longitude ?? 0)),
      ys: Float64Array.from(known, ({ latitude }) => worldY(latitude ?? 0)),
    }
  }, [rows])
  const bounds = useMemo(() => boundsOf([placed]), [placed])
  const draw = useCallback((layer: MapLayer) => drawAll(layer, placed), [placed])
  const part = usePart(rows, 0)
  return (
    <Stack gap="sm">
      <MapView
        label={t`Map of last positions. Arrow keys move it, plus and minus zoom.`}
        fit={bounds}
        draw={draw}
        tiles={tiles}
      />
      <StreetsNotice />
      <Text size="sm">
        <Trans>Devices with a position: {i18n.number(rows.length)}</Trans>
      </Text>
      <PageBody>
        <DataTable
          caption={t`Last positions`}
          columns={[
            {
              id: 'holder',
              label: t`Device user`,
              cell: ({ device_user_reference, person_name }) =>
                device_user_reference === null ? (
                  t`None`
                ) : (
                  <PersonName {...{ device_user_reference, person_name }} />
                ),
            },
            { id: 'group', label: t`Group`, cell: (row) => visible(row.group) },
            { id: 'time', label: t`Time`, cell: (row) => <Time at={row.timestamp} /> },
            { id: 'place', label: t`Place`, cell: (row) => placeWords(row, i18n) },
          ]}
          rows={part.rows}
          keyOf={(row) => row.device_reference}
          actions={(row) => (
            <Group justify="end">
              <Button
                size="xs"
                variant="default"
                renderRoot={(props) => <Link {...props} {...gpsOfDevice(row.device_reference)} />}
              >
                <Trans>Track</Trans>
              </Button>
            </Group>
          )}
        />
        <MorePages part={part} />
      </PageBody>
    </Stack>
  )
}

/** Labels marks where few exist and no labels overlap. */
const MOST_NAMES = 40
/** Pixels between a mark and its label, and of the buttons at the right. */
const [GAP, BUTTONS] = [10, 44]

function drawAll(
  layer: MapLayer,
  { rows, xs, ys }: { rows: readonly GpsPoint[]; xs: Float64Array; ys: Float64Array },
): void {
  const { context, colours, width } = layer
  const at = placer(layer)
  const named: [x: number, y: number][] = []
  for (const [i, row] of rows.entries()) {
    const [x, y] = at(xs[i] ?? 0, ys[i] ?? 0)
    drawMarker(layer, x, y)
    if (rows.length > MOST_NAMES || row.device_user_reference === null) continue
    if (named.some(([left, top]) => Math.abs(left - x) < 120 && Math.abs(top - y) < 16)) continue
    named.push([x, y])
    context.font = '600 12px system-ui, sans-serif'
    context.strokeStyle = colours.halo
    context.fillStyle = colours.label
    context.lineWidth = 3
    const name = visible(row.person_name ?? row.device_user_reference)
    const fits = x + GAP + context.measureText(name).width < width - BUTTONS
    context.textAlign = fits ? 'left' : 'right'
    const start = fits ? x + GAP : x - GAP
    context.strokeText(name, start, y + 4)
    context.fillText(name, start, y + 4)
  }
}
