import type { DataStatus } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useMay } from '../../../api/use-profile.ts'
import type { BulkProps } from '../../../components/lists/list-definition.ts'
import { Icon } from '../../../ui/icon.tsx'
import { downloadArchive } from '../data-address.ts'
import { requestPlayback } from '../player/pending-playback.ts'
import { setReviewQueue } from '../review-queue.ts'
import { getDetail, type ScreenService, SERVICES } from '../services.ts'
import { ExportButton, useMayExport } from './export-button.tsx'

/** Data actions on selected recordings: play in sequence, export, or, without that permission, download as one archive. */
export function BulkData({
  keys,
  matching,
  onDone,
}: Pick<BulkProps, 'keys' | 'matching'> & {
  /** Receives the outcome per recording when an archive download starts. */
  onDone: (outcomes: readonly { payload_reference: string; status: DataStatus }[]) => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const mayExport = useMayExport()
  const router = useRouter()
  const navigate = useNavigate()
  const downloading = useMutation({
    mutationFn: () => downloadArchive([...keys]),
    onSuccess: (rows) => rows && onDone(rows),
  })
  const { pathname, publicHref: listUrl } = router.latestLocation
  const service = (Object.keys(SERVICES) as ScreenService[]).find((each) =>
    pathname.endsWith(SERVICES[each].list),
  )
  const play = () => {
    const [first] = keys
    if (service === undefined || first === undefined) return
    // The recording's page navigates through the selection only.
    setReviewQueue({
      references: keys,
      hasMore: false,
      isChosen: true,
      total: { total: keys.length },
      service,
      search: {},
      listUrl,
    })
    requestPlayback(first)
    void navigate(getDetail(service, first))
  }
  return (
    <>
      {!matching && service !== undefined && SERVICES[service].hasSound && may('payloads:play') && (
        <Button size="xs" variant="default" leftSection={<Icon name="play" size={15} />} onClick={play}>
          <Trans>Play in sequence</Trans>
        </Button>
      )}
      <ExportButton
        size="xs"
        getChosen={() =>
          matching
            ? { query: matching.getQuery(), ...(matching.words !== undefined && { words: matching.words }) }
            : { payload_references: [...keys] }
        }
      />
      {!matching && may('payloads:download') && !mayExport && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="archive" size={15} />}
          loading={downloading.isPending}
          title={t`The audit log records each recording in it as a download.`}
          onClick={() => downloading.mutate()}
        >
          <Trans>Download originals</Trans>
        </Button>
      )}
    </>
  )
}
