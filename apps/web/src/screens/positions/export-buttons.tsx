import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import { noteExport } from '../../components/lists/note-export.ts'
import { separatorFor } from '../../components/lists/csv.ts'
import { gpxOf, pointsCsv } from './files.ts'
import type { Track } from './track.ts'
import type { Whose } from './use-track.ts'

/** Exports the visible positions once all are loaded. */
export function ExportButtons({
  whose,
  range,
  tracks,
  name,
  isReady,
}: {
  whose: Whose
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
      return download([gpxOf(tracks)], name, { type: 'application/gpx+xml', ending: 'gpx' })
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
