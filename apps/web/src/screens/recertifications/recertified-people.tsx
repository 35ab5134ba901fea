import { BATCH_LIMIT, type Recertification, type RecertifiedPerson } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recertificationsApi } from '../../api/access-api.ts'
import { allPages } from '../../api/all-pages.ts'
import { getKey } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'

const useRecertified = (recertification_reference: string) =>
  useQuery({
    queryKey: getKey('listRecertifiedPeople', recertification_reference),
    queryFn: ({ signal }) =>
      allPages((query) =>
        recertificationsApi.listRecertifiedPeople(
          { params: { recertification_reference }, query },
          { signal },
        ),
      ),
  })

/** The people of a recertification, to confirm or revoke one by one or several at a time. */
export function RecertifiedPeople({ recertification }: { recertification: Recertification }) {
  const { t } = useLingui()
  const { recertification_reference, ended_at } = recertification
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<Question>()
  const mayDecide = useMay()('people.recertifications:update') && ended_at === null
  const own = useProfile().user_reference
  const people = useRecertified(recertification_reference)
  const isOpen = (row: RecertifiedPerson) => mayDecide && row.decision === null && row.user_reference !== own
  const select = (references: readonly string[], isOn: boolean) => {
    const next = new Set(selected)
    for (const reference of references)
      if (isOn) next.add(reference)
      else next.delete(reference)
    setSelected(next)
  }
  const columns = useColumns(ended_at !== null)
  return (
    <QueryResult query={people} height={240}>
      {(rows) => {
        const open = rows.filter(isOpen).map(({ user_reference }) => user_reference)
        const chosen = open.filter((reference) => selected.has(reference))
        return (
          <section aria-labelledby="recertified-people">
            <Group justify="space-between" mb="xs" mih={36}>
              <Title order={2} size="h4" id="recertified-people">
                <Plural value={rows.length} one="# person" other="# people" />
              </Title>
              {mayDecide && open.length > 0 && (
                <DecideButtons
                  open={open}
                  chosen={chosen}
                  onSelect={select}
                  onDecide={(decision) => setAsked({ decision, user_references: chosen })}
                />
              )}
            </Group>
            <DataTable
              caption={t`People`}
              rows={rows}
              getKey={({ user_reference }) => user_reference}
              columns={columns}
              actions={
                mayDecide
                  ? (row) =>
                      isOpen(row) && (
                        <RowActions
                          person={row}
                          isSelected={selected.has(row.user_reference)}
                          onSelect={(isOn) => select([row.user_reference], isOn)}
                          onDecide={(decision) =>
                            setAsked({ decision, user_references: [row.user_reference] })
                          }
                        />
                      )
                  : undefined
              }
            />
            {asked !== undefined && (
              <DecisionDialog
                recertification={recertification}
                decision={asked.decision}
                people={rows.filter(({ user_reference }) => asked.user_references.includes(user_reference))}
                onSaved={() => focusNext(open, asked.user_references)}
                onClose={() => setAsked(undefined)}
              />
            )}
          </section>
        )
      }}
    </QueryResult>
  )
}

const getName = ({ display_name, user_reference }: RecertifiedPerson) =>
  visible(display_name ?? user_reference)

type HolderOutcome = 'confirmed' | 'revoked'

interface Question {
  decision: HolderOutcome
  user_references: readonly string[]
}

/** Decides on one person, or selects it for a decision on several. */
function RowActions(props: {
  person: RecertifiedPerson
  isSelected: boolean
  onSelect: (isOn: boolean) => void
  onDecide: (decision: HolderOutcome) => void
}) {
  const { t } = useLingui()
  const { onSelect, onDecide } = props
  const { user_reference } = props.person
  const name = getName(props.person)
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        data-person={user_reference}
        aria-label={t`Confirm ${name}`}
        onClick={() => onDecide('confirmed')}
      >
        <Trans>Confirm</Trans>
      </Button>
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        aria-label={t`Revoke ${name}`}
        onClick={() => onDecide('revoked')}
      >
        <Trans>Revoke</Trans>
      </Button>
      <Checkbox
        aria-label={t`Select ${name}`}
        checked={props.isSelected}
        onChange={(event) => onSelect(event.currentTarget.checked)}
      />
    </Group>
  )
}

/** Focuses the next person without a decision, or the page's title: the buttons are disabled after a decision. */
function focusNext(open: readonly string[], decided: readonly string[]): void {
  const last = open.indexOf(decided.at(-1) ?? '')
  const next = [...open.slice(last + 1), ...open].find((reference) => !decided.includes(reference))
  const mark = next !== undefined && document.querySelector(`[data-person="${CSS.escape(next)}"]`)
  const to = mark || document.querySelector('h1')
  if (to instanceof HTMLElement) to.focus()
}

/** Selects the people without a decision, and decides on the selected ones. */
function DecideButtons(props: {
  open: readonly string[]
  chosen: readonly string[]
  onSelect: (references: readonly string[], isOn: boolean) => void
  onDecide: (decision: HolderOutcome) => void
}) {
  const { t } = useLingui()
  const { open, chosen, onSelect, onDecide } = props
  return (
    <Group gap="xs">
      <Checkbox
        label={t`Select all open`}
        checked={chosen.length === open.length}
        indeterminate={chosen.length > 0 && chosen.length < open.length}
        onChange={(event) => onSelect(open, event.currentTarget.checked)}
      />
      <Button disabled={chosen.length === 0} onClick={() => onDecide('confirmed')}>
        <Trans>Confirm</Trans>
      </Button>
      <Button color="red" variant="light" disabled={chosen.length === 0} onClick={() => onDecide('revoked')}>
        <Trans>Revoke</Trans>
      </Button>
    </Group>
  )
}

function DecisionDialog(props: {
  recertification: Recertification
  decision: HolderOutcome
  people: readonly RecertifiedPerson[]
  onSaved: () => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const { recertification, decision, people, onClose, onSaved } = props
  const isRevoked = decision === 'revoked'
  const user_references = people.map(({ user_reference }) => user_reference)
  const count = people.length
  const name = people.map(getName)[0] ?? ''
  const save = async (reason: string) => {
    let saved = recertification
    for (let i = 0; i < count; i += BATCH_LIMIT)
      saved = await recertificationsApi.decideRecertification({
        params: { recertification_reference: recertification.recertification_reference },
        query: {},
        body: { user_references: user_references.slice(i, i + BATCH_LIMIT), decision, reason },
      })
    return saved
  }
  return (
    <ReasonDialog
      title={
        isRevoked ? (
          <Plural value={count} one={`Revoke the roles of ${name}`} other="Revoke the roles of # people" />
        ) : (
          <Plural value={count} one={`Confirm the roles of ${name}`} other="Confirm the roles of # people" />
        )
      }
      description={t`3 to 500 characters. Shown here and in the signed report.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={isRevoked ? <Trans>Revoke</Trans> : <Trans>Confirm</Trans>}
      isDangerous={isRevoked}
      save={save}
      onSaved={() => {
        onClose()
        onSaved()
        noticeDone(t`${plural(count, { one: '# decision saved', other: '# decisions saved' })}`)
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {isRevoked ? (
          <Trans>
            Roles assigned in the portal are removed at once. Remove roles that come from claims at the
            identity provider. A decision is final.
          </Trans>
        ) : (
          <Trans>Access does not change. A decision is final.</Trans>
        )}
      </Text>
    </ReasonDialog>
  )
}

function useColumns(isEnded: boolean): DataColumn<RecertifiedPerson>[] {
  const { t } = useLingui()
  const may = useMay()
  return [
    {
      label: t`Name`,
      cell: (person) => {
        const { user_reference } = person
        const name = getName(person)
        if (!may('people:list')) return name
        const search = { preview: user_reference }
        return <TextLink {...{ to: '/dashboard/access/people', search }}>{name}</TextLink>
      },
    },
    { label: t`Roles`, cell: ({ roles }) => visible(roles.join(', ')) },
    {
      label: t`Groups`,
      cell: ({ groups }) => (groups === null ? t`All groups` : visible(groups.join(', '))),
    },
    {
      label: t`Access ends`,
      cell: ({ ends_at, matters }) =>
        ends_at === null ? (
          t`No end`
        ) : (
          <>
            <Time at={ends_at} style="day" />
            {matters !== null && (
              <Text size="sm" c="dimmed">
                <Plural value={matters.length} one="# legal matter only" other="# legal matters only" />
              </Text>
            )}
          </>
        ),
    },
    {
      label: t`Last seen`,
      cell: ({ last_seen }) => (last_seen === null ? t`Never` : <Time at={last_seen} />),
    },
    { label: t`Decision`, cell: (row) => <Decision person={row} isEnded={isEnded} /> },
  ]
}

function Decision({ person, isEnded }: { person: RecertifiedPerson; isEnded: boolean }) {
  const { decision, decided_at, reason } = person
  const isOwn = useProfile().user_reference === person.user_reference
  if (decision === null)
    return (
      <Text span inherit c="dimmed">
        {isEnded ? (
          <Trans>No decision</Trans>
        ) : isOwn ? (
          <Trans>Another person decides</Trans>
        ) : (
          <Trans context="recertification">Open</Trans>
        )}
      </Text>
    )
  return (
    <Stack gap={2}>
      <Text span inherit>
        {decision === 'confirmed' ? (
          <Trans>Confirmed</Trans>
        ) : (
          <Trans context="recertification">Revoked</Trans>
        )}{' '}
        · {authorName(person, 'decided_by')}
        {decided_at !== null && (
          <>
            {' · '}
            <Time at={decided_at} />
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {visible(reason ?? '')}
      </Text>
    </Stack>
  )
}
