import {
  actionOfCommand,
  AUTO_RESPONSE_LIMIT,
  COMMANDS,
  type CommandName,
  SEND_COMMAND,
  type CommandInput,
  type SendStatus,
} from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Group, Radio, Text, Textarea, TextInput, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { fleetActsApi } from '../../api/fleet-acts-api.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { saveCsv } from '../../components/lists/csv.ts'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { COMMAND_EFFECTS, COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { type Form, useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { visible } from '../../ui/visible.ts'

export interface CommandTargets {
  keys: readonly string[]
  /** All devices that match the filters of the list. */
  matching?: MatchingRows | undefined
}

/** Asks for a command and sends it to one device, several, or all that match the filters of the list. */
export default function CommandSteps({
  onDone,
  onClose,
  ...chosen
}: CommandTargets & {
  onDone: () => void
  onClose: () => void
}) {
  const [outcomes, setOutcomes] = useState<readonly SetOutcome[]>()
  const { t } = useLingui()
  const finish = ({ data, is_cut }: CommandAnswer) => {
    if (is_cut) noticeDone(t`More devices match: this is the limit of one operation.`)
    if (data.some(({ status }) => status !== 'Ok')) return setOutcomes(data)
    noticeDone(
      t`${plural(data.length, { one: 'Command sent to # device', other: 'Command sent to # devices' })}`,
    )
    onClose()
    onDone()
  }
  if (outcomes === undefined) return <CommandDialog {...chosen} onClose={onClose} onSent={finish} />
  return (
    <SetOutcomes
      title={t`Not all commands were sent`}
      outcomes={outcomes}
      onClose={() => {
        onClose()
        onDone()
      }}
    />
  )
}

function CommandParameters({ form }: { form: Form<CommandDraft> }) {
  const { t } = useLingui()
  const { errorAt, set, values } = form
  return (
    <>
      {values.command === 'sms_auto_response' && (
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
      {values.command === 'reupload_sms_messages' && (
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
    </>
  )
}

/** Chooses a command, explains it and sends it. A rejection keeps the dialog open. */
function CommandDialog({
  keys,
  matching,
  onClose,
  onSent,
}: CommandTargets & { onClose: () => void; onSent: (sent: CommandAnswer) => void }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const form = useForm<CommandDraft, CommandAnswer>({
    initial: { command: null, text: '', from: '', to: '' },
    labels: { command: t`Command`, 'params.text': t`Decision` },
    check: ({ command }) =>
      command === null
        ? [{ path: 'command', code: 'required', message: '', values: { field: t`Command` } }]
        : [],
    save: (draft) => send({ keys, matching }, getCommand(draft)),
    onSaved: onSent,
  })
  const { errorAt, set, values } = form
  const { command } = values
  const offered = COMMANDS.filter((each) => may(actionOfCommand(each) ?? SEND_COMMAND))
  const total = matching?.total && totalText(matching.total, (count) => i18n.number(count))
  const isDangerous = command !== null && actionOfCommand(command) !== undefined
  return (
    <Dialog
      onClose={onClose}
      title={
        matching ? (
          <Trans>Send a command to all {total} matching devices</Trans>
        ) : (
          <Plural value={keys.length} one="Send a command to # device" other="Send a command to # devices" />
        )
      }
    >
      <ShortForm form={form} save={<Trans>Send</Trans>} isDangerous={isDangerous} onCancel={onClose}>
        <Radio.Group
          label={t`Command`}
          value={command}
          onChange={(value) => set({ command: value as CommandName })}
          error={errorAt('command')}
          required
        >
          <Stack gap={6} mt={6}>
            {offered.map((value, place) => (
              <Radio
                key={value}
                value={value}
                label={i18n._(COMMAND_WORDS[value])}
                data-autofocus={place === 0 || undefined}
              />
            ))}
          </Stack>
        </Radio.Group>
        {command !== null && (
          <Alert color={isDangerous ? 'red' : 'blue'} icon={<Icon name={isDangerous ? 'warning' : 'info'} />}>
            {i18n._(COMMAND_EFFECTS[command])}
          </Alert>
        )}
        <CommandParameters form={form} />
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
export function getCommand({ command, text, from, to }: CommandDraft): CommandInput {
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

export interface SetOutcome {
  device_reference: string
  device_name?: string | undefined
  status: SendStatus
}

interface CommandAnswer {
  data: readonly SetOutcome[]
  /** Whether more than the limit matched. */
  is_cut: boolean
}

const SEND_FAILURES = {
  NoMatchingRecord: msg`Device not found.`,
  NotPermitted: msg`Your roles do not allow it.`,
  Deactivated: msg`Deactivated: it fetches no commands.`,
} as const satisfies Record<Exclude<SendStatus, 'Ok'>, MessageDescriptor>

/** Sends a command; a rejection for a single device is thrown. */
async function send({ keys, matching }: CommandTargets, order: CommandInput): Promise<CommandAnswer> {
  const [device_reference = '', ...others] = keys
  if (matching) return fleetActsApi.sendCommands({ query: matching.getQuery(), body: { order, all: true } })
  if (others.length > 0)
    return fleetActsApi.sendCommands({ query: {}, body: { order, device_references: [...keys] } })
  await fleetApi.sendCommand({ params: { device_reference }, query: {}, body: order })
  return { data: [{ device_reference, status: 'Ok' }], is_cut: false }
}

/** Most failures shown. */
const SHOWN = 100

/** Outcome of an act on several devices, with reasons of failures. */
export function SetOutcomes({
  title,
  outcomes,
  onClose,
}: {
  title: string
  outcomes: readonly SetOutcome[]
  onClose: () => void
}) {
  const { t, i18n } = useLingui()
  const failed = outcomes.flatMap(({ status, ...device }) =>
    status === 'Ok' ? [] : { ...device, why: i18n._(SEND_FAILURES[status]) },
  )
  const done = outcomes.length - failed.length
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Stack>
        <Text component="output" display="block">
          <Trans>
            {done} of {outcomes.length} done.
          </Trans>
        </Text>
        <DataTable
          caption={failed.length > SHOWN ? t`The first ${SHOWN} failures` : t`Incomplete`}
          rows={failed.slice(0, SHOWN)}
          getKey={({ device_reference }) => device_reference}
          columns={[
            {
              label: t`Device`,
              cell: ({ device_reference, device_name }) => (
                <span title={visible(device_reference)}>{visible(device_name ?? device_reference)}</span>
              ),
            },
            { label: t`Reason`, cell: ({ why }) => why },
          ]}
        />
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() =>
              saveCsv(
                'outcomes',
                [
                  [t`Device`, t`Device reference`, t`Outcome`],
                  ...outcomes.map(({ device_reference, device_name, status }) => [
                    device_name,
                    device_reference,
                    status === 'Ok' ? t`Done` : i18n._(SEND_FAILURES[status]),
                  ]),
                ],
                i18n.locale,
              )
            }
          >
            <Trans>Save as CSV</Trans>
          </Button>
          <Button onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
