import { AccessReason } from '@custodia/contract'
import { useLingui, Trans } from '@lingui/react/macro'
import { Textarea, Button, Group, Radio, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ReasonQuestion } from '../api/reasons.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ShortForm } from '../ui/form/short-form.tsx'
import { useForm } from '../ui/form/use-form.ts'

/** Dialog that asks for a reason. Stays open with the cause when the action fails. */
export function ReasonDialog<Result>(props: {
  title: ReactNode
  /** Hint for the reason. */
  description: string
  /** Field of the call, for the server's faults. */
  name: string
  /** Length limits in characters. */
  limits: { min: number; max: number }
  submitLabel: ReactNode
  isDangerous?: boolean
  save: (reason: string) => Promise<Result>
  onSaved: (result: Result) => void
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useLingui()
  const { name, limits, onClose } = props
  const form = useForm<{ reason: string }, Result>({
    initial: { reason: '' },
    labels: { [name]: t`Reason` },
    check: ({ reason }) =>
      reason.trim().length < limits.min
        ? [{ path: name, code: 'too_short', message: '', values: { limit: limits.min } }]
        : [],
    save: ({ reason }) => props.save(reason.trim()),
    onSaved: props.onSaved,
  })
  const { errorAt, set, values } = form
  return (
    <Dialog onClose={onClose} title={props.title}>
      <ShortForm form={form} save={props.submitLabel} isDangerous={props.isDangerous} onCancel={onClose}>
        <div>{props.children}</div>
        <Textarea
          label={t`Reason`}
          description={props.description}
          value={values.reason}
          onChange={(event) => set({ reason: event.currentTarget.value })}
          error={errorAt(name)}
          maxLength={limits.max}
          autosize
          minRows={3}
          maxRows={10}
          required
          data-autofocus
        />
      </ShortForm>
    </Dialog>
  )
}

/** Asks for the reason of a download or export: one of the account's reasons, or free text. */
export function ReasonQuestionDialog({ choices, answer }: ReasonQuestion) {
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
        <Stack>
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
