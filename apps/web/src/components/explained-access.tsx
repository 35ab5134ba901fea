import type { AccessDecision, AccessOutcome, ExplainedAction, ExplainedPerson } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleApi } from '../api/access-api.ts'
import { callQuery } from '../api/call-keys.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Time } from '../ui/time.tsx'
import { visible } from '../ui/visible.ts'
import { resolveDate, toDateParameter } from './lists/date-range.ts'
import { actionWords } from './words/permission-words.tsx'

const DECISIONS: Readonly<Record<AccessDecision, MessageDescriptor>> = {
  granted: msg({ context: 'access', message: 'Allowed' }),
  denied: msg`Denied by a role`,
  not_granted: msg`No role allows it`,
  outside_groups: msg`Outside of the person’s groups`,
  outside_networks: msg`Not from this network`,
  not_in_support: msg`Not in support mode`,
  outside_matters: msg`Outside of the person’s legal matters`,
}

const OUTCOMES: Readonly<Record<AccessOutcome, MessageDescriptor>> = {
  grants: msg`allows it`,
  denies: msg`denies it`,
  other_network: msg`allows it in other networks`,
  other_type: msg`allows it for other types`,
  other_group: msg`allows it in other groups`,
  not_granted: msg`does not allow it`,
}

const KINDS: Readonly<Record<ExplainedPerson['kind'], MessageDescriptor>> = {
  person: msg`Person`,
  app: msg`Client app`,
  support: msg`Support staff`,
}

type ExplainedDecision = Pick<ExplainedPerson, 'is_allowed' | 'decision' | 'roles'>

function Decision({ is_allowed, decision }: ExplainedDecision) {
  const { i18n } = useLingui()
  return (
    <Badge color={is_allowed ? 'green' : 'gray'} variant="light" tt="none">
      {i18n._(DECISIONS[decision])}
    </Badge>
  )
}

/** What each role says: of an allowed action, only the roles that allow it. */
export function Reasons({ is_allowed, roles }: ExplainedDecision) {
  const { i18n } = useLingui()
  const shown = is_allowed ? roles.filter(({ outcome }) => outcome === 'grants') : roles
  const list = new Intl.ListFormat(i18n.locale, { type: 'unit', style: 'short' })
  return (
    <Stack gap={2}>
      {shown.map(({ role, outcome, rules, networks }) => {
        const numbers = list.format(rules.map((rule) => i18n.number(rule)))
        return (
          <Text key={role} size="sm">
            {visible(role)}{' '}
            <Text span size="sm" c="dimmed">
              {i18n._(OUTCOMES[outcome])}
              {rules.length > 0 && (
                <>
                  {' '}
                  (<Plural value={rules.length} one={`rule ${numbers}`} other={`rules ${numbers}`} />)
                </>
              )}
              {outcome === 'grants' && networks.length > 0 && (
                <>
                  {' · '}
                  <Trans>only from {list.format(networks)}</Trans>
                </>
              )}
            </Text>
          </Text>
        )
      })}
    </Stack>
  )
}

/** A day and time in the viewer's zone; empty: none. */
export function Moment(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The API date of a moment; undefined: none. */
export function parseMoment(moment: string): string | undefined {
  const seconds = resolveDate(moment === '' ? undefined : moment, 'start', 0)
  return seconds === undefined ? undefined : toDateParameter(seconds)
}

interface AccessMoment {
  /** API date of the question; undefined: now. */
  at: string | undefined
  known_since: number
}

/** Whether the rights of that time were not recorded. */
export const isUnknown = ({ at, known_since }: AccessMoment): boolean =>
  at !== undefined && at < toDateParameter(known_since)

/** Since when rights are recorded, loud where the question is about an earlier time. */
export function KnownSince(asked: AccessMoment) {
  const { known_since } = asked
  const isLoud = isUnknown(asked)
  return (
    <Text size="sm" c={isLoud ? undefined : 'dimmed'} fw={isLoud ? 600 : undefined}>
      {isLoud ? (
        <Trans>
          Rights are recorded since <Time at={known_since} />. Nothing is known of the time before.
        </Trans>
      ) : (
        <Trans>
          Rights are recorded since <Time at={known_since} />.
        </Trans>
      )}
    </Text>
  )
}

/** Networks from which the whole account can be used. */
function Networks({ networks }: { networks: readonly string[] }) {
  const { i18n } = useLingui()
  if (networks.length === 0) return null
  return (
    <Text size="sm">
      <Trans>
        The account can be used from {new Intl.ListFormat(i18n.locale, { type: 'unit' }).format(networks)}{' '}
        only.
      </Trans>
    </Text>
  )
}

/** A person, client app or member of the provider’s staff. */
export type AccessPerson = Pick<ExplainedPerson, 'user_reference' | 'display_name'> & {
  kind?: ExplainedPerson['kind']
}

/** Name of a person; client apps and support staff are marked. */
export const getName = (
  { display_name, user_reference, kind = 'person' }: AccessPerson,
  i18n: I18n,
): string => visible(display_name ?? user_reference) + (kind === 'person' ? '' : ` (${i18n._(KINDS[kind])})`)

/** Who may do something with a recording, or could at an earlier time. */
export function ExplainedPeople(props: {
  answer: Awaited<ReturnType<typeof peopleApi.listPayloadAccess>>
  isPast: boolean
  isOfPerson: boolean
}) {
  const { t, i18n } = useLingui()
  const { answer, isPast, isOfPerson } = props
  const { data, networks, is_available, is_cut } = answer
  const group = visible(answer.group)
  return (
    <>
      <Text size="sm" c="dimmed">
        {isPast ? (
          <Trans>The recording was in the group {group}.</Trans>
        ) : (
          <Trans>The recording is in the group {group}.</Trans>
        )}
      </Text>
      {!is_available && (
        <Text size="sm" fw={600}>
          {isPast ? (
            <Trans>There was no data that a person could open.</Trans>
          ) : (
            <Trans>There is no data that a person could open.</Trans>
          )}
        </Text>
      )}
      <Networks networks={networks} />
      {data.length === 0 ? (
        <Text size="sm">
          {isOfPerson ? <Trans>Unknown person</Trans> : <Trans>No person may do this.</Trans>}
        </Text>
      ) : (
        <DataTable
          isCompact
          caption={t`Access`}
          rows={data}
          getKey={({ kind, user_reference }) => `${kind} ${user_reference}`}
          columns={[
            { label: t`Person`, cell: (row) => getName(row, i18n) },
            { label: t`Result`, cell: (row) => <Decision {...row} /> },
            { label: t`Roles`, cell: (row) => <Reasons {...row} /> },
          ]}
        />
      )}
      {is_cut && (
        <Text size="sm">
          <Trans>There are more people. Enter a reference to find one.</Trans>
        </Text>
      )}
    </>
  )
}

/** What a person may do, by which roles and in which groups. */
export function PersonAccess({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t } = useLingui()
  const [wanted, setWanted] = useState('')
  const [moment, setMoment] = useState('')
  const at = parseMoment(moment)
  const query = useQuery(
    callQuery(peopleApi, 'readPersonAccess', { params: { user_reference: reference }, query: { at } }),
  )
  const isWanted = ({ action }: ExplainedAction) =>
    `${action} ${actionWords(action)}`.toLowerCase().includes(wanted.trim().toLowerCase())
  return (
    <Dialog title={t`What this person may do`} size="xl" onClose={onClose}>
      <Stack gap="sm">
        <Group align="end" gap="sm">
          <TextInput
            flex="1 1 260px"
            label={t`Find an action`}
            value={wanted}
            onChange={({ currentTarget: { value } }) => setWanted(value)}
            data-autofocus
          />
          <Moment label={t`At an earlier time`} value={moment} onChange={setMoment} />
        </Group>
        <QueryResult query={query} rows={6}>
          {({ data, networks, known_since }) => (
            <>
              {moment !== '' && <KnownSince at={at} known_since={known_since} />}
              <Networks networks={networks} />
              {data.length > 0 ? (
                <DataTable
                  isCompact
                  caption={t`Access`}
                  rows={data.filter(isWanted)}
                  getKey={({ action }) => action}
                  columns={[
                    {
                      label: t`Action`,
                      cell: ({ action }) => <span title={action}>{actionWords(action)}</span>,
                    },
                    { label: t`Result`, cell: (row) => <Decision {...row} /> },
                    { label: t`Groups`, cell: ({ groups }) => <Groups groups={groups} /> },
                    { label: t`Roles`, cell: (row) => <Reasons {...row} /> },
                  ]}
                />
              ) : (
                !isUnknown({ at, known_since }) && (
                  <Text size="sm">
                    <Trans>No role gives rights.</Trans>
                  </Text>
                )
              )}
            </>
          )}
        </QueryResult>
      </Stack>
    </Dialog>
  )
}

function Groups({ groups: { is_all, count, first } }: Pick<ExplainedAction, 'groups'>) {
  const { i18n } = useLingui()
  if (is_all) return <Trans>All groups</Trans>
  const names = new Intl.ListFormat(i18n.locale, { type: 'unit' }).format(first.map((name) => visible(name)))
  const more = count - first.length
  return more > 0 ? (
    <>
      {names} <Plural value={more} one="and # more" other="and # more" />
    </>
  ) : (
    names
  )
}
