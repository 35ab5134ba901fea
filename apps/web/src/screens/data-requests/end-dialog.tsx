import { type DataRequest, REQUEST_ENDS } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { requestsApi } from '../../api/requests-api.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { STATE_WORDS } from './request-words.ts'

/** Closes a request with an outcome and a reason. */
export function EndDialog({
  request: { data_request_id },
  onClose,
}: {
  request: DataRequest
  onClose: () => void
}) {
  const { t, i18n } = useLingui()
  const [state, setState] = useState<(typeof REQUEST_ENDS)[number]>('Answered')
  return (
    <ReasonDialog
      title={t`Close the request`}
      description={t`3 to 500 characters: the answer or reason for refusal. Stored encrypted, never logged.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={<Trans>Close the request</Trans>}
      save={(reason) =>
        requestsApi.closeDataRequest({
          params: { data_request_id },
          query: {},
          body: { state, reason: reason.replace(/\s+/g, ' ') },
        })
      }
      onSaved={() => {
        onClose()
        noticeDone(t`Request closed`)
      }}
      onClose={onClose}
    >
      <Radio.Group
        label={t({ context: 'request of a person', message: 'Outcome' })}
        value={state}
        onChange={(value) => setState(value as typeof state)}
      >
        <Stack gap="xs" mt="xs">
          {REQUEST_ENDS.map((each) => (
            <Radio key={each} value={each} label={i18n._(STATE_WORDS[each])} />
          ))}
        </Stack>
      </Radio.Group>
    </ReasonDialog>
  )
}
