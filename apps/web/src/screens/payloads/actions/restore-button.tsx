import { Trans, useLingui } from '@lingui/react/macro'
import { reviewApi } from '../../../api/payload-api.ts'
import { ActButton } from '../../../ui/act-button.tsx'
import { AfterRestoring } from './after-restoring.tsx'

/** Restores a deleted recording; explains the effect first. */
export default function RestoreButton({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <ActButton
      action="payloads:restore"
      icon="refresh"
      label={t`Restore`}
      question={t`Restore this recording?`}
      done={t`The recording is restored`}
      onAct={() => reviewApi.restorePayload({ params: { payload_reference: reference } })}
    >
      <Trans>It returns to the lists and can be played again.</Trans> <AfterRestoring />
    </ActButton>
  )
}
