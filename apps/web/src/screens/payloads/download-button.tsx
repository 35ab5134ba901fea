import type { Payload } from '@custodia/contract'
import { hasOriginal, type Obstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { Hint } from '../../ui/hint.tsx'
import { Icon } from '../../ui/icon.tsx'
import { downloadData } from './data-address.ts'
import { refreshAuditSoon } from './queries.ts'
import { noticeDataFailure } from './refusals.ts'

/** Downloads the original. When unavailable the button stays and says why. */
export function DownloadButton({
  payload: { payload_reference },
  obstacle,
}: {
  payload: Payload
  obstacle: Obstacle | undefined
}) {
  const { t } = useLingui()
  const may = useMay()
  const download = useMutation({
    mutationFn: () => downloadData(payload_reference),
    onError: noticeDataFailure,
    onSuccess: () => refreshAuditSoon(payload_reference),
    meta: { silent: true },
  })
  const reason = !may('payloads:download')
    ? t`You need the permission payloads:download.`
    : hasOriginal(obstacle)
      ? undefined
      : t`There is no data to download.`
  return (
    <Hint label={reason ?? t`The audit log records the download.`}>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        loading={download.isPending}
        // Not `disabled`: keyboard users must reach the reason.
        {...(reason === undefined
          ? {}
          : { 'data-disabled': true, 'aria-disabled': true, 'aria-description': reason })}
        onClick={() => {
          if (reason === undefined) download.mutate()
        }}
      >
        <Trans>Download original</Trans>
      </Button>
    </Hint>
  )
}
