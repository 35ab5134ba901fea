import {
  actionOfCommand,
  AUTO_RESPONSE_LIMIT,
  COMMANDS,
  type CommandName,
  SEND_COMMAND,
  type CommandInput,
} from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Group, Select, Text, Textarea, TextInput, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { COMMAND_EFFECTS, COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { fleetApi } from '../../api/fleet-api.ts'
import { useFailureText } from '../../api/failure-text.ts'
import { Marked } from '../../components/cells.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { visible } from '../../ui/visible.ts'

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
      {outcomes && (
        <SendOutcomes
          outcomes={outcomes}
          onClose={() => {
            setOutcomes(undefined)
            onDone()
          }}
        />
      )}
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

/** Form state; dates as `YYYY-MM-DD` in the user's zone, empty: open. */
export interface CommandDraft {
  command: CommandName | null
  text: string
  from: string
  to: string
}

/** API input of the command. */
export function commandOf({ command, text, from, to }: CommandDraft): CommandInput {
  switch (command) {
    case null:
      throw new Error('no command was chosen')
    case 'sms_auto_response':
      return { command, params: { text: text.trim() === '' ? null : text.trim() } }
    case 'reupload_sms_messages':
      return {
        command,
        params: {
          ...(from && { from: midnight(from) }),
          // The end day is included.
          ...(to && { to: midnight(to, 1) }),
        },
      }
    default:
      return { command, params: {} }
  }
}

/** Start of a local day in epoch seconds, `later` days after it. */
function midnight(day: string, later = 0): number {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return Math.floor(at.getTime() / 1000)
}

/** Outcome for one device. */
export interface SendOutcome {
  device_reference: string
  /** Reason of a failure; absent: sent. */
  failure?: unknown
}

/** Maximum parallel calls. */
const AT_ONCE = 4

/** Sends a command to each device; a failure does not stop the others. */
export async function sendToAll(
  device_references: readonly string[],
  body: CommandInput,
): Promise<SendOutcome[]> {
  const outcomes = device_references.map((device_reference): SendOutcome => ({ device_reference }))
  const waiting = outcomes.values()
  const worker = async () => {
    for (const outcome of waiting) {
      const { device_reference } = outcome
      await fleetApi
        .sendCommand({ params: { device_reference }, query: {}, body })
        .catch((error: unknown) => {
          outcome.failure = error
        })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcomes
}

/** Outcome per device, with reasons of failures. */
function SendOutcomes({ outcomes, onClose }: { outcomes: readonly SendOutcome[]; onClose: () => void }) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const sent = outcomes.filter(({ failure }) => failure === undefined).length
  return (
    <Dialog onClose={onClose} title={t`Not all commands were sent`} size="lg">
      <Stack gap="md">
        <Text component="output" display="block">
          <Trans>
            {sent} of {outcomes.length} sent.
          </Trans>
        </Text>
        <DataTable
          caption={t`Devices`}
          rows={outcomes}
          keyOf={({ device_reference }) => device_reference}
          columns={[
            { id: 'device', label: t`Device`, cell: ({ device_reference }) => visible(device_reference) },
            {
              id: 'outcome',
              label: t`Outcome`,
              cell: ({ failure }) =>
                failure === undefined ? (
                  <Marked icon="check" tone="good">
                    {t({ context: 'command', message: 'Sent' })}
                  </Marked>
                ) : (
                  failureText(failure)
                ),
            },
          ]}
        />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
