import {
  type Answer,
  type Api,
  type ChangeStatus,
  DEVICE_SERVICES,
  type DeviceService,
  type UserChange,
  type ProblemCode,
  type UserChangeName,
} from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { fleetActsApi } from '../../api/fleet-acts-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { GroupSelect } from '../../components/access-fields.tsx'
import { getReason, Refusals } from '../../components/files/refusals.tsx'
import { saveCsv } from '../../components/lists/csv.ts'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { type Form, useForm } from '../../ui/form/use-form.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { totalText } from '../../ui/text.ts'

interface ChangeProps extends BulkProps {
  change: UserChangeName
  onClose: () => void
}

type ChangeAnswer = Answer<Api['changeDeviceUsers']>

interface Draft {
  group: string | null
  services: readonly DeviceService[]
}

function getOrder(change: UserChangeName, { group, services }: Draft): UserChange | undefined {
  if (change === 'move') return group === null ? undefined : { change, group }
  if (change === 'offboard' || change === 'onboard') return { change }
  return services.length === 0 ? undefined : { change, services: [...services] }
}

const getInput = ({ keys, matching }: Pick<BulkProps, 'keys' | 'matching'>, order: UserChange) => ({
  query: matching?.getQuery() ?? {},
  body: { order, ...(matching ? { all: true as const } : { device_user_references: [...keys] }) },
})

const getCount = ({ data }: ChangeAnswer, status: ChangeStatus) =>
  data.filter((each) => each.status === status).length

const isRefused = ({ status }: ChangeAnswer['data'][number]) => status !== 'Ok' && status !== 'Unchanged'

/** Why a person was not reached. */
const UNREACHED: Partial<Record<ChangeStatus, ProblemCode>> = {
  NoMatchingRecord: 'not_found',
  NotPermitted: 'not_permitted',
}

const getProblem = ({ status, problem }: ChangeAnswer['data'][number]): ProblemCode | undefined =>
  status === 'Refused' ? problem : UNREACHED[status]

/** Changes several device users: asks, says what happens to how many, and names who was refused. */
export default function ChangeUsers(props: ChangeProps) {
  const { t } = useLingui()
  const { change, keys, matching, onClose, onDone } = props
  const [result, setResult] = useState<ChangeAnswer>()
  const form = useForm<Draft, ChangeAnswer>({
    initial: { group: null, services: [] },
    labels: { 'order.group': t`Group`, 'order.services': t`Services` },
    check: (draft) =>
      getOrder(change, draft)
        ? []
        : [
            {
              path: change === 'move' ? 'order.group' : 'order.services',
              code: 'required',
              message: '',
              values: { field: change === 'move' ? t`Group` : t`Services` },
            },
          ],
    save: (draft) => fleetActsApi.changeDeviceUsers(getInput({ keys, matching }, getOrder(change, draft)!)),
    onSaved: (changed) => {
      if (changed.is_cut) noticeDone(t`More people match: this is the limit of one operation.`)
      if (changed.data.some(isRefused)) return setResult(changed)
      const done = getCount(changed, 'Ok')
      noticeDone(t`${plural(done, { one: '# device user changed', other: '# device users changed' })}`)
      onDone()
    },
  })
  return (
    <Dialog onClose={result ? onDone : onClose} title={<Title {...props} />} size="lg">
      {result ? (
        <Stack>
          <Outcome changed={result} isDone />
          <Group justify="flex-end">
            <SaveOutcomes changed={result} />
            <Button onClick={() => onDone()} data-autofocus>
              <Trans>Close</Trans>
            </Button>
          </Group>
        </Stack>
      ) : (
        <ShortForm
          form={form}
          save={<Save change={change} />}
          isDangerous={change === 'offboard' || change === 'remove_services'}
          onCancel={onClose}
        >
          <Fields change={change} form={form} />
          <Preview {...props} order={getOrder(change, form.values)} />
        </ShortForm>
      )}
    </Dialog>
  )
}

function Title({ change, keys, matching }: ChangeProps) {
  const { i18n } = useLingui()
  const count = keys.length
  const total = matching?.total && totalText(matching.total, (each) => i18n.number(each))
  const who = matching ? (
    <Trans>all {total} matching people</Trans>
  ) : (
    <Plural value={count} one="# person" other="# people" />
  )
  switch (change) {
    case 'move':
      return <Trans>Move {who} to another group</Trans>
    case 'add_services':
      return <Trans>Add services to {who}</Trans>
    case 'remove_services':
      return <Trans>Remove services from {who}</Trans>
    case 'offboard':
      return <Trans>Offboard {who}</Trans>
    case 'onboard':
      return <Trans>Onboard {who} again</Trans>
  }
}

function Save({ change }: { change: UserChangeName }) {
  switch (change) {
    case 'move':
      return <Trans>Move</Trans>
    case 'add_services':
      return <Trans>Add services</Trans>
    case 'remove_services':
      return <Trans>Remove services</Trans>
    case 'offboard':
      return <Trans>Offboard</Trans>
    case 'onboard':
      return <Trans>Onboard again</Trans>
  }
}

function Fields({ change, form }: { change: UserChangeName; form: Form<Draft> }) {
  const { t, i18n } = useLingui()
  if (change === 'offboard')
    return (
      <Text>
        <Trans>Their phones stop recording but still upload. Recordings stay.</Trans>
      </Text>
    )
  if (change === 'onboard')
    return (
      <Text>
        <Trans>Their phones record again after the next authentication.</Trans>
      </Text>
    )
  if (change === 'move')
    return (
      <GroupSelect
        label={t`Group`}
        description={t`Their devices move along. Earlier recordings stay in their group.`}
        value={form.values.group}
        onChange={(group) => form.set({ group })}
        error={form.errorAt('order.group')}
        isReadOnly={false}
      />
    )
  return (
    <Checkbox.Group
      label={t`Services`}
      value={[...form.values.services]}
      onChange={(services) => form.set({ services: services as DeviceService[] })}
      error={form.errorAt('order.services')}
    >
      <Group mt={6}>
        {DEVICE_SERVICES.map((service, place) => (
          <Checkbox
            key={service}
            value={service}
            label={i18n._(SERVICE_WORDS[service])}
            data-autofocus={place === 0 || undefined}
          />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

/** What the change would do; nothing until the draft is complete. */
function Preview({ keys, matching, order }: ChangeProps & { order: UserChange | undefined }) {
  const input = order && getInput({ keys, matching }, order)
  const review = useQuery({
    queryKey: getKey('reviewDeviceUserChanges', JSON.stringify(input)),
    queryFn: ({ signal }) => fleetActsApi.reviewDeviceUserChanges(input!, { signal }),
    enabled: input !== undefined,
    gcTime: 0,
  })
  if (input === undefined) return null
  return (
    <QueryResult query={review} rows={1}>
      {(changed) => <Outcome changed={changed} />}
    </QueryResult>
  )
}

/** How many people change, and why others do not. */
function Outcome({ changed, isDone = false }: { changed: ChangeAnswer; isDone?: boolean }) {
  const { t } = useLingui()
  const refused = changed.data.filter(isRefused).map((each) => ({
    name: each.person_name ?? each.device_user_reference,
    problem: getProblem(each),
    faults: each.faults,
  }))
  const unchanged = getCount(changed, 'Unchanged')
  const updated = getCount(changed, 'Ok')
  return (
    <>
      <Alert color={refused.length > 0 ? 'orange' : 'blue'} aria-live="polite">
        <Text fw={600} size="sm">
          {isDone ? (
            <Plural value={updated} one="# person changed" other="# people changed" />
          ) : (
            <Plural value={updated} one="# person changes" other="# people change" />
          )}
          {unchanged > 0 && ' · '}
          {unchanged > 0 && <Plural value={unchanged} one="# stays as it is" other="# stay as they are" />}
          {refused.length > 0 && ' · '}
          {refused.length > 0 && <Plural value={refused.length} one="# refused" other="# refused" />}
        </Text>
      </Alert>
      {refused.length > 0 && <Refusals caption={t`Refused`} who={t`Device users`} refusals={refused} />}
    </>
  )
}

/** Saves what became of each person. */
function SaveOutcomes({ changed }: { changed: ChangeAnswer }) {
  const { t, i18n } = useLingui()
  const getOutcome = (each: ChangeAnswer['data'][number]) => {
    if (each.status === 'Ok') return t`Changed`
    if (each.status === 'Unchanged') return t`Unchanged`
    return getReason({ problem: getProblem(each), faults: each.faults }, i18n)
  }
  const save = () =>
    saveCsv(
      'outcomes',
      [
        [t`Device user`, t`Device user reference`, t`Outcome`],
        ...changed.data.map((each) => [each.person_name, each.device_user_reference, getOutcome(each)]),
      ],
      i18n.locale,
    )
  return (
    <Button variant="default" onClick={save}>
      <Trans>Save as CSV</Trans>
    </Button>
  )
}
