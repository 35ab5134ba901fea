import { type DataRequest, REQUEST_ENDS } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { requestsApi } from '../../api/requests-api.ts'
import { ReasonDialog } from '../reason-dialog.tsx'
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
      title={t`End the request`}
      description={t`3 to 500 characters: how it was answered, or why not. It is kept sealed, and stands in no log.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={<Trans>End the request</Trans>}
      save={(reason) =>
        requestsApi.closeDataRequest({
          params: { data_request_id },
          query: {},
          body: { state, reason: reason.replace(/\s+/g, ' ') },
        })
      }
      onSaved={() => {
        onClose()
        noticeDone(t`The request has ended`)
      }}
      onClose={onClose}
    >
      <Radio.Group
        label={t({ context: 'request of a person', message: 'It was' })}
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
