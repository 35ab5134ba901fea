import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { detailOf, screenService } from '../payloads/services.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { MorePages, usePart } from './more-pages.tsx'
import { placeWords } from './place-words.ts'
import type { PlacedRecording } from './use-recordings.ts'

/** Recordings along the track, with links to their page and their time on the map. */
export function RecordingsTable({
  recordings,
  onShow,
}: {
  recordings: readonly PlacedRecording[]
  onShow: (time: number) => void
}) {
  const { t, i18n } = useLingui()
  const part = usePart(recordings, 0)
  if (recordings.length === 0)
    return (
      <Text c="dimmed">
        <Trans>No recording in this period has a location.</Trans>
      </Text>
    )
  return (
    <>
      <DataTable
        caption={t`Recordings`}
        columns={[
          { id: 'time', label: t`Time`, cell: (row) => <Time at={row.payload_time} zone={row.timezone} /> },
          { id: 'type', label: t`Type`, cell: (row) => <Opens recording={row} /> },
          {
            id: 'place',
            label: t`Place`,
            cell: (row) =>
              row.place.is_last_known
                ? t`${placeWords(row.place, i18n)} (last known)`
                : placeWords(row.place, i18n),
          },
        ]}
        rows={part.rows}
        keyOf={(row) => row.payload_reference}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.payload_time)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}

function Opens({ recording: { payload_type, payload_reference } }: { recording: PlacedRecording }) {
  const { i18n } = useLingui()
  const service = screenService(payload_type)
  const word = i18n._(PAYLOAD_TYPE_WORDS[payload_type])
  if (!service) return word
  return (
    <Anchor renderRoot={(props) => <Link {...props} {...detailOf(service, payload_reference)} />}>
      {word}
    </Anchor>
  )
}
