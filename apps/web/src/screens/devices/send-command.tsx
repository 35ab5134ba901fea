import {
  actionOfCommand,
  AUTO_RESPONSE_LIMIT,
  COMMANDS,
  type CommandName,
  SEND_COMMAND,
} from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Group, Select, Text, Textarea, TextInput } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { COMMAND_EFFECTS, COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { type CommandDraft, commandOf, type SendOutcome, sendToAll } from './send-commands.ts'

const SendOutcomes = lazy(() => import('./send-outcomes.tsx'))

/** Sends a command to one or several devices. */
export default function SendCommand({
  keys,
  onDone = () => {},
  size,
}: {
  keys: readonly string[]
  onDone?: () => void
  size?: 'xs'
}) {
  const [isAsking, setAsking] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly SendOutcome[]>()
  const { t } = useLingui()
  const finish = (sent: readonly SendOutcome[]) => {
    setAsking(false)
    if (sent.some(({ failure }) => failure !== undefined)) return setOutcomes(sent)
    noticeDone(
      t`${plural(sent.length, { one: 'Command sent to # device', other: 'Command sent to # devices' })}`,
    )
    onDone()
  }
  return (
    <>
      <MayButton
        action={SEND_COMMAND}
        {...(size && { size })}
        variant="default"
        leftSection={<Icon name="arrow-up" size={size ? 15 : 16} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Send command…</Trans>
      </MayButton>
      {isAsking && <CommandDialog keys={keys} onClose={() => setAsking(false)} onSent={finish} />}
      <Suspense>
        {outcomes && (
          <SendOutcomes
            outcomes={outcomes}
            onClose={() => {
              setOutcomes(undefined)
              onDone()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** Chooses a command, explains it and sends it. A rejection for a single device keeps the dialog open. */
function CommandDialog({
  keys,
  onClose,
  onSent,
}: {
  keys: readonly string[]
  onClose: () => void
  onSent: (outcomes: readonly SendOutcome[]) => void
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const form = useForm<CommandDraft, readonly SendOutcome[]>({
    initial: { command: null, text: '', from: '', to: '' },
    labels: { command: t`Command`, 'params.text': t`Decision` },
    check: ({ command }) =>
      command === null
        ? [{ path: 'command', code: 'required', message: '', values: { field: t`Command` } }]
        : [],
    save: async (draft) => {
      const outcomes = await sendToAll(keys, commandOf(draft))
      const [only] = outcomes
      if (outcomes.length === 1 && only?.failure !== undefined) throw only.failure
      return outcomes
    },
    onSaved: onSent,
  })
  const { errorAt, set, values } = form
  const { command } = values
  const offered = COMMANDS.filter((each) => may(actionOfCommand(each) ?? SEND_COMMAND))
  const isDangerous = command !== null && actionOfCommand(command) !== undefined
  return (
    <Dialog
      onClose={onClose}
      title={
        <Plural value={keys.length} one="Send a command to # device" other="Send a command to # devices" />
      }
    >
      <ShortForm form={form} save={<Trans>Send</Trans>} isDangerous={isDangerous} onCancel={onClose}>
        <Select
          label={t`Command`}
          data={offered.map((value) => ({ value, label: i18n._(COMMAND_WORDS[value]) }))}
          value={command}
          onChange={(value) => set({ command: value as CommandName | null })}
          error={errorAt('command')}
          allowDeselect={false}
          comboboxProps={{ zIndex: 500 }}
          required
          data-autofocus
        />
        {command !== null && (
          <Alert color={isDangerous ? 'red' : 'blue'} icon={<Icon name={isDangerous ? 'warning' : 'info'} />}>
            {i18n._(COMMAND_EFFECTS[command])}
          </Alert>
        )}
        {command === 'sms_auto_response' && (
          <Textarea
            label={t`Decision`}
            value={values.text}
            onChange={(event) => set({ text: event.currentTarget.value })}
            error={errorAt('params.text')}
            maxLength={AUTO_RESPONSE_LIMIT}
            autosize
            minRows={2}
          />
        )}
        {command === 'reupload_sms_messages' && (
          <Group grow>
            <TextInput
              type="date"
              label={t`From`}
              value={values.from}
              onChange={(event) => set({ from: event.currentTarget.value })}
              error={errorAt('params.from')}
            />
            <TextInput
              type="date"
              label={t`Until`}
              value={values.to}
              onChange={(event) => set({ to: event.currentTarget.value })}
              error={errorAt('params.to')}
            />
          </Group>
        )}
        <Text size="sm" c="dimmed">
          <Trans>
            Online phones act within seconds, others once they reconnect. Commands fail after 30 days without
            response.
          </Trans>
        </Text>
      </ShortForm>
    </Dialog>
  )
}
