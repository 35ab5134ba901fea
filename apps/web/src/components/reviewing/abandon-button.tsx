import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { reviewApi } from '../../api/review-api.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Writes off the data of a late recording, for permitted users; shows who did. */
export default function AbandonButton({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const { payload_reference, abandoned_at, abandoned_by } = payload
  const who = visible(abandoned_by ?? '')
  if (abandoned_at !== undefined)
    return (
      <Text size="sm" c="dimmed">
        <Trans>
          {who} gave up waiting for its data, <Time at={abandoned_at} />. What comes all the same is taken.
        </Trans>
      </Text>
    )
  return (
    <ActButton
      action="payloads:abandon"
      icon="x"
      label={t`Give up waiting`}
      question={t`Give up waiting for this recording?`}
      done={t`Nobody waits for this recording any more`}
      onAct={() => reviewApi.abandonPayload({ params: { payload_reference } })}
    >
      <Trans>
        It is late, and its data has not come. It stays on record as it is, until the retention policy makes
        it due. If its phone brings the data after all, that is taken.
      </Trans>
    </ActButton>
  )
}
