import { AccessReason } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReasonQuestion } from '../api/reasons.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

/** Asks for the reason of a download or export: one of the account's reasons, or free text. */
export default function ReasonQuestionDialog({ choices, answer }: ReasonQuestion) {
  const { t } = useLingui()
  const title = t`Reason for download or export`
  const stated = t`The audit log records your reason with the download or export.`
  const cancel = () => answer(undefined)
  if (choices.length > 0) return <Choice {...{ choices, title, stated, answer, cancel }} />
  return (
    <ReasonDialog
      title={title}
      description={t`3 to 200 characters`}
      name="reason"
      limits={{ min: 3, max: 200 }}
      submitLabel={<Trans>Continue</Trans>}
      // A reason is one line.
      save={async (reason) => AccessReason.parse(reason.replace(/\s+/g, ' '))}
      onSaved={answer}
      onClose={cancel}
    >
      {stated}
    </ReasonDialog>
  )
}

function Choice(props: {
  choices: readonly string[]
  title: string
  stated: string
  answer: ReasonQuestion['answer']
  cancel: () => void
}) {
  const { title, stated, choices, answer, cancel } = props
  const { t } = useLingui()
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  return (
    <Dialog onClose={cancel} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (reason === '') return setMissing(true)
          answer(reason)
        }}
      >
        <Stack gap="md">
          <Text size="sm">{stated}</Text>
          <Radio.Group
            label={t`Reason`}
            value={reason}
            onChange={setReason}
            error={isMissing && reason === '' ? t`Choose a reason.` : undefined}
            required
          >
            <Stack gap="xs" mt="xs">
              {choices.map((each, i) => (
                <Radio key={each} value={each} label={each} {...(i === 0 && { 'data-autofocus': true })} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={cancel}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit">
              <Trans>Continue</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
