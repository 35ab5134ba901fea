import type { AccessDecision, AccessOutcome, ExplainedAction, ExplainedPerson } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleApi } from '../api/access-api.ts'
import { keyOf } from '../api/call-keys.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { visible } from '../ui/visible.ts'
import { actionWords } from './words/permission-words.tsx'

const DECISIONS: Readonly<Record<AccessDecision, MessageDescriptor>> = {
  granted: msg({ context: 'access', message: 'Allowed' }),
  denied: msg`Denied by a role`,
  not_granted: msg`No role allows it`,
  outside_groups: msg`Outside of the person’s groups`,
  outside_networks: msg`Not from this network`,
  not_in_support: msg`Not in support mode`,
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

type Explained = Pick<ExplainedPerson, 'is_allowed' | 'decision' | 'roles'>

function Decision({ is_allowed, decision }: Explained) {
  const { i18n } = useLingui()
  return (
    <Badge color={is_allowed ? 'green' : 'gray'} variant="light" tt="none">
      {i18n._(DECISIONS[decision])}
    </Badge>
  )
}

/** What each role says: of an allowed action, only the roles that allow it. */
function Reasons({ is_allowed, roles }: Explained) {
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

/** Actions on recordings for which people are listed. */
const ACTIONS = ['payloads:play', 'payloads:download', 'payloads:export', 'payloads:read'] as const

/** Who may open a recording, and by which rule; or why a person may not. */
export function RecordingAccess({ reference }: { reference: string }) {
  const { t, i18n } = useLingui()
  const [may, setMay] = useState<string>(ACTIONS[0])
  const [person, setPerson] = useState('')
  const [user_reference] = useDebouncedValue(person.trim(), 400)
  const query = useQuery({
    queryKey: keyOf('listPayloadAccess', reference, may, user_reference),
    queryFn: ({ signal }) =>
      peopleApi.listPayloadAccess(
        {
          params: { payload_reference: reference },
          query: { may, ...(user_reference !== '' && { user_reference }) },
        },
        { signal },
      ),
  })
  return (
    <Stack gap="sm">
      <Group align="end" gap="sm">
        <NativeSelect
          label={t`Who may`}
          value={may}
          onChange={({ currentTarget: { value } }) => setMay(value)}
          data={ACTIONS.map((value) => ({ value, label: actionWords(value) }))}
        />
        <TextInput
          flex="1 1 260px"
          label={t`Person`}
          placeholder={t`Reference; also of a person who may not`}
          value={person}
          onChange={({ currentTarget: { value } }) => setPerson(value)}
        />
      </Group>
      <Loaded query={query} rows={3}>
        {({ data, group, networks, is_cut }) => (
          <>
            <Text size="sm" c="dimmed">
              <Trans>The recording is in the group {visible(group)}.</Trans>
            </Text>
            <Networks networks={networks} />
            {data.length === 0 ? (
              <Text size="sm">
                {user_reference === '' ? (
                  <Trans>No person may do this.</Trans>
                ) : (
                  <Trans>Unknown person</Trans>
                )}
              </Text>
            ) : (
              <DataTable
                isCompact
                caption={t`Access`}
                rows={data}
                keyOf={({ kind, user_reference: who }) => `${kind} ${who}`}
                columns={[
                  {
                    id: 'person',
                    label: t`Person`,
                    cell: ({ kind, user_reference: who, display_name }) => (
                      <>
                        {visible(display_name ?? who)}
                        {kind !== 'person' && ` (${i18n._(KINDS[kind])})`}
                      </>
                    ),
                  },
                  { id: 'decision', label: t`Result`, cell: (row) => <Decision {...row} /> },
                  { id: 'roles', label: t`Roles`, cell: (row) => <Reasons {...row} /> },
                ]}
              />
            )}
            {is_cut && (
              <Text size="sm">
                <Trans>There are more people. Enter a reference to find one.</Trans>
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Stack>
  )
}

/** What a person may do, by which roles and in which groups. */
export function PersonAccess({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t } = useLingui()
  const [wanted, setWanted] = useState('')
  const query = useQuery({
    queryKey: keyOf('readPersonAccess', reference),
    queryFn: ({ signal }) =>
      peopleApi.readPersonAccess({ params: { user_reference: reference }, query: {} }, { signal }),
  })
  const isWanted = ({ action }: ExplainedAction) =>
    `${action} ${actionWords(action)}`.toLowerCase().includes(wanted.trim().toLowerCase())
  return (
    <Dialog title={t`What this person may do`} size="xl" onClose={onClose}>
      <Stack gap="sm">
        <TextInput
          label={t`Find an action`}
          value={wanted}
          onChange={({ currentTarget: { value } }) => setWanted(value)}
          data-autofocus
        />
        <Loaded query={query} rows={6}>
          {({ data, networks }) => (
            <>
              <Networks networks={networks} />
              <DataTable
                isCompact
                caption={t`Access`}
                rows={data.filter(isWanted)}
                keyOf={({ action }) => action}
                columns={[
                  {
                    id: 'action',
                    label: t`Action`,
                    cell: ({ action }) => <span title={action}>{actionWords(action)}</span>,
                  },
                  { id: 'decision', label: t`Result`, cell: (row) => <Decision {...row} /> },
                  { id: 'groups', label: t`Groups`, cell: ({ groups }) => <Groups groups={groups} /> },
                  { id: 'roles', label: t`Roles`, cell: (row) => <Reasons {...row} /> },
                ]}
              />
            </>
          )}
        </Loaded>
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
