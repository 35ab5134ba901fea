import {
  BATCH_LIMIT,
  CODE_CHANNELS,
  type CodeChannel,
  type EnrolStatus,
  type NewEnrolment,
} from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Radio, Select, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { fleetActsApi } from '../../api/fleet-acts-api.ts'
import { noticeDone } from '../../api/notices.ts'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { visible } from '../../ui/visible.ts'
import { DAYS } from './enrol-dialog.tsx'
import { EnrolmentSheet } from './new-enrolment.tsx'

interface Outcome {
  device_user_reference: string
  status: EnrolStatus
  person_name?: string | undefined
  /** For a sheet. */
  enrolment?: NewEnrolment | undefined
}

interface Draft {
  channel: CodeChannel
  days: string
}

const CHANNELS = {
  mail: { label: msg`Send by email`, description: msg`Each person receives their own code.` },
  sheet: { label: msg`Print sheets`, description: msg`One page for each person, with a QR code.` },
} as const satisfies Record<CodeChannel, { label: MessageDescriptor; description: MessageDescriptor }>

const WHY_NOT = {
  NoMatchingRecord: msg`Device user not found.`,
  NotPermitted: msg`Your roles do not allow it.`,
  Offboarded: msg`Offboarded.`,
  NoAddress: msg`No email address.`,
} as const satisfies Record<Exclude<EnrolStatus, 'Ok'>, MessageDescriptor>

interface EnrolmentTargets {
  keys: readonly string[]
  /** All people who match the filters of the list. */
  matching?: MatchingRows | undefined
}

/** Creates an enrolment code for one phone of each of several people, and mails or prints the codes. */
export default function EnrolMany({
  onClose,
  onDone,
  ...chosen
}: EnrolmentTargets & { onClose: () => void; onDone: () => void }) {
  const { keys, matching } = chosen
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  const [isPrinted, setPrinted] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  useWindowEvent('beforeprint', () => setPrinted(outcomes !== undefined))
  const { t, i18n } = useLingui()
  const leave = () =>
    isPrinted || !outcomes?.some(({ enrolment }) => enrolment) ? onDone() : setLeaving(true)
  const total = matching?.total && totalText(matching.total, (count) => i18n.number(count))
  const finish = ({ data: made, is_cut }: EnrolmentAnswer) => {
    if (is_cut) noticeDone(t`More people match: this is the limit of one operation.`)
    if (made.some(({ status, enrolment }) => status !== 'Ok' || enrolment)) return setOutcomes(made)
    noticeDone(
      t`${plural(made.length, { one: 'The code is on its way to # person', other: 'The codes are on their way to # people' })}`,
    )
    onDone()
  }
  return (
    <Dialog
      title={
        matching ? (
          <Trans>Enrol phones of all {total} matching people</Trans>
        ) : (
          <Plural value={keys.length} one="Enrol a phone of # person" other="Enrol phones of # people" />
        )
      }
      size="lg"
      onClose={outcomes ? leave : onClose}
    >
      {outcomes ? (
        <Outcomes outcomes={outcomes} onClose={leave} />
      ) : (
        <Choice {...chosen} onMade={finish} onClose={onClose} />
      )}
      {isLeaving && (
        <Confirm
          title={t`Close without printing?`}
          confirmLabel={t`Close without printing`}
          isDangerous
          onConfirm={onDone}
          onClose={() => setLeaving(false)}
        >
          <Text>
            <Trans>The codes are not shown again: without a sheet, each person needs a new code.</Trans>
          </Text>
        </Confirm>
      )}
    </Dialog>
  )
}

function Choice(props: EnrolmentTargets & { onMade: (made: EnrolmentAnswer) => void; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const form = useForm<Draft, EnrolmentAnswer>({
    initial: { channel: 'mail', days: String(DAYS.person[0]) },
    labels: { channel: t`Delivery`, expires_in_days: t`Valid for` },
    save: (draft) => enrol(props, draft, i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'),
    onSaved: props.onMade,
  })
  const { errorAt, set, values } = form
  return (
    <ShortForm
      form={form}
      save={values.channel === 'mail' ? <Trans>Send codes</Trans> : <Trans>Create sheets</Trans>}
      icon={<Icon name="qr" size={16} />}
      onCancel={props.onClose}
    >
      <Radio.Group
        label={t`Delivery`}
        value={values.channel}
        onChange={(channel) => set({ channel: channel as CodeChannel })}
        error={errorAt('channel')}
      >
        <Stack gap="xs" mt={4}>
          {CODE_CHANNELS.map((channel) => (
            <Radio
              key={channel}
              value={channel}
              label={i18n._(CHANNELS[channel].label)}
              // A sheet for each of thousands helps no one.
              disabled={channel === 'sheet' && props.matching !== undefined}
              description={
                channel === 'sheet' && props.matching
                  ? t`Select up to ${BATCH_LIMIT} people to print sheets.`
                  : i18n._(CHANNELS[channel].description)
              }
              data-autofocus={channel === values.channel || undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Select
        comboboxProps={{ withinPortal: true }}
        label={t`Valid for`}
        data={DAYS.person.map((count) => ({
          value: String(count),
          label: t`${plural(count, { one: '# day', other: '# days' })}`,
        }))}
        value={values.days}
        onChange={(days) => days !== null && set({ days })}
        error={errorAt('expires_in_days')}
        allowDeselect={false}
      />
      <Text size="sm" c="dimmed">
        <Trans>
          The first phone to use a code belongs to that person without confirmation. The tab Enrolments shows
          who opened the code and who enrolled.
        </Trans>
      </Text>
    </ShortForm>
  )
}

interface EnrolmentAnswer {
  data: readonly Outcome[]
  /** Whether more than the limit matched. */
  is_cut: boolean
}

/** Enrols all matching people in one call, others in the portions of one call. */
async function enrol(
  { keys, matching }: EnrolmentTargets,
  { channel, days }: Draft,
  language: 'en-GB' | 'pt-BR',
): Promise<EnrolmentAnswer> {
  const how = { channel, language, expires_in_days: Number(days) }
  if (matching) return fleetActsApi.enrolUsers({ query: matching.getQuery(), body: { ...how, all: true } })
  const data: Outcome[] = []
  for (let i = 0; i < keys.length; i += BATCH_LIMIT) {
    const device_user_references = keys.slice(i, i + BATCH_LIMIT)
    data.push(
      ...(await fleetActsApi.enrolUsers({ query: {}, body: { device_user_references, ...how } })).data,
    )
  }
  return { data, is_cut: false }
}

/** Sheets to print, and the people without a code. */
function Outcomes({ outcomes, onClose }: { outcomes: readonly Outcome[]; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const sheets = outcomes.flatMap(({ enrolment }) => enrolment ?? [])
  const failed = outcomes.flatMap(({ device_user_reference, person_name, status }) =>
    status === 'Ok' ? [] : { device_user_reference, person_name, status },
  )
  const done = outcomes.length - failed.length
  return (
    <Stack>
      <Text component="output" display="block">
        <Trans>
          {done} of {outcomes.length} done.
        </Trans>{' '}
        {sheets.length > 0 && <Trans>The codes are shown once: print them now.</Trans>}
      </Text>
      {failed.length > 0 && (
        <DataTable
          caption={t`Without a code`}
          rows={failed}
          getKey={({ device_user_reference }) => device_user_reference}
          columns={[
            { label: t`Device user`, cell: (row) => visible(row.person_name ?? row.device_user_reference) },
            { label: t`Reason`, cell: ({ status }) => i18n._(WHY_NOT[status]) },
          ]}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant={sheets.length > 0 ? 'default' : 'filled'} onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
        {sheets.length > 0 && (
          <Button
            leftSection={<Icon name="download" size={16} />}
            onClick={() => window.print()}
            data-autofocus
          >
            <Plural value={sheets.length} one="Print # sheet" other="Print # sheets" />
          </Button>
        )}
      </Group>
      {sheets.map((enrolment) => (
        <EnrolmentSheet key={enrolment.enrolment_reference} enrolment={enrolment} />
      ))}
    </Stack>
  )
}
