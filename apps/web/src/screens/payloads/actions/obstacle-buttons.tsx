import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { reviewApi } from '../../../api/payload-api.ts'
import { ActButton } from '../../../ui/act-button.tsx'
import { Time } from '../../../ui/time.tsx'
import { authorName } from '../../../ui/visible.ts'
import { AfterRestoring } from './after-restoring.tsx'

/** Writes off the data of a late recording, for permitted users; shows who did. */
export function WriteOffButton({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const { payload_reference, written_off_at } = payload
  const who = authorName(payload, 'written_off_by')
  if (written_off_at !== undefined)
    return (
      <Text size="sm" c="dimmed">
        <Trans>
          {who} wrote it off, <Time at={written_off_at} />. Data that arrives later is still accepted.
        </Trans>
      </Text>
    )
  return (
    <ActButton
      action="payloads:write_off"
      icon="x"
      label={t`Write off`}
      question={t`Write off this recording?`}
      done={t`This recording is written off`}
      onAct={() => reviewApi.writeOffPayload({ params: { payload_reference } })}
    >
      <Trans>
        Its data is late. The record stays until the retention policy makes it due. If the phone uploads the
        data later, it is still accepted.
      </Trans>
    </ActButton>
  )
}

/** Restores a deleted recording; explains the effect first. */
export function RestoreButton({ reference }: { reference: string }) {
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
