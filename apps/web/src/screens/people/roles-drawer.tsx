import { PersonReference, PersonRolesInput, type PortalPersonDetail } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Input, MultiSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { identityApi, peopleApi } from '../../api/access-api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { noticeDoneOrProposed, openMattersQuery } from '../../api/governance-api.ts'
import { groupChoicesQuery, roleChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { resolveDate } from '../../components/lists/date-range.ts'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isSevere } from '../../components/review/use-review.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { faultIfEmpty, shapeFaults } from '../../ui/form/faults.ts'
import { Icon } from '../../ui/icon.tsx'
import { authorName, visible } from '../../ui/visible.ts'

interface Draft {
  user_reference: string
  roles: string[]
  reach: 'all' | 'some'
  groups: string[]
  /** A day; empty: no end. */
  ends_at: string
  /** Ids of legal matters; none: all recordings. */
  matters: string[]
}

/** The claim mapping, for readers who may see it. */
function useIdentity() {
  const may = useMay()
  const { data } = useQuery({
    ...callQuery(identityApi, 'readClaimMapping'),
    enabled: may('account.identity:read'),
  })
  return data
}

/** Assigns roles and groups to a person, or, without one, to a person who has not signed in yet. */
export default function RolesDrawer({
  person,
  onClose,
  onReload,
}: {
  person?: PortalPersonDetail
  onClose: () => void
  onReload?: () => void
}) {
  const { t } = useLingui()
  const identity = useIdentity()
  const names = useChoices()
  const labels = {
    user_reference: t`User reference`,
    roles: t`Roles`,
    reach: t`Groups`,
    groups: t`Only these groups`,
    ends_at: t`Access ends`,
    matters: t`Only recordings of these legal matters`,
  }
  const form = useRolesForm(person, labels, onClose)
  const { values, set, errorAt } = form
  const name = person && visible(person.display_name ?? person.user_reference)
  const claim = identity && visible(identity.mapping.user_reference)
  const roles_from = person?.roles_from ?? identity?.mapping.roles_from
  return (
    <ReviewedDrawer
      title={name === undefined ? t`Add person` : t`Roles of ${name}`}
      form={form}
      onClose={onClose}
      {...(onReload && { onReload })}
    >
      {roles_from === 'claims' && values.ends_at === '' && (
        <Alert color="blue" icon={<Icon name="info" />}>
          <Trans>
            Claims give roles in this account. An assignment without an end counts once roles are assigned in
            the portal.
          </Trans>
        </Alert>
      )}
      {person === undefined && <ReferenceField form={form} label={labels.user_reference} claim={claim} />}
      <MultiSelect
        label={labels.roles}
        description={person && t`Without roles the default role of the account applies.`}
        data={[...new Set([...values.roles, ...names.roles])]}
        value={values.roles}
        onChange={(roles) => set({ roles })}
        error={errorAt('roles')}
        required={person === undefined}
        searchable
        maxValues={20}
        nothingFoundMessage={t`Nothing found`}
      />
      <GroupReach form={form} label={labels.groups} offered={names.groups} />
      <TextInput
        type="date"
        label={labels.ends_at}
        description={t`For outside auditors and other guests. After this day the person has no role.`}
        {...form.field('ends_at')}
      />
      <MatterReach form={form} label={labels.matters} offered={names.matters} />
    </ReviewedDrawer>
  )
}

function ReferenceField(props: {
  form: ReturnType<typeof useRolesForm>
  label: string
  /** The claim that names people; undefined: unknown. */
  claim: string | undefined
}) {
  const { t } = useLingui()
  const { claim } = props
  return (
    <TextInput
      label={props.label}
      description={
        claim === undefined
          ? t`Exactly as the identity provider names the person.`
          : t`Exactly as the claim ${claim} names the person, such as an email address.`
      }
      {...props.form.field('user_reference')}
      autoComplete="off"
      spellCheck={false}
      required
      data-autofocus
    />
  )
}

function useRolesForm(
  person: PortalPersonDetail | undefined,
  labels: Record<'user_reference' | 'roles' | 'reach' | 'groups' | 'ends_at' | 'matters', string>,
  onClose: () => void,
) {
  const { t } = useLingui()
  const may = useMay()
  return useReviewedForm({
    initial: getDraft(person),
    stored: getStored(person, person && (() => readNewest(person)), getDraft),
    texts: { reach: (reach: Draft['reach']) => (reach === 'all' ? t`All groups` : t`Only these groups`) },
    check: (draft: Draft) => [
      ...shapeFaults(PersonReference, draft.user_reference.trim(), 'user_reference'),
      ...shapeFaults(PersonRolesInput, getInput(draft, person)),
      ...(person === undefined ? faultIfNone('roles', draft.roles) : []),
      ...(draft.reach === 'some' ? faultIfNone('groups', draft.groups) : []),
    ],
    labels,
    getField: { already_exists: 'user_reference', escalation: 'roles', last_administrator: 'roles' },
    review: may('people.roles:review')
      ? (draft: Draft) => peopleApi.reviewPersonRoles({ ...getCall(draft, person), query: {} })
      : undefined,
    wantsWord: isSevere,
    save: (draft, review, version) =>
      peopleApi.savePersonRoles(
        { ...getCall(draft, person), query: review?.impact.locks_out ? { confirm_lockout: true } : {} },
        person === undefined ? { if_none_match: true } : { if_match: version },
      ),
    onSaved: (answer) => {
      noticeDoneOrProposed(answer, t`Roles assigned`)
      onClose()
    },
  })
}

/** Whether the roles hold in all groups or only in some. */
function GroupReach(props: {
  form: ReturnType<typeof useRolesForm>
  label: string
  offered: readonly string[]
}) {
  const { t } = useLingui()
  const { values, set, errorAt } = props.form
  return (
    <>
      <Input.Wrapper label={t`Groups`} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={t`Groups`}
          data={[
            { value: 'all', label: t`All groups` },
            { value: 'some', label: t`Only these groups` },
          ]}
          value={values.reach}
          onChange={(reach) => set({ reach: reach === 'some' ? 'some' : 'all' })}
        />
      </Input.Wrapper>
      {values.reach === 'some' && (
        <MultiSelect
          label={props.label}
          data={[...new Set([...values.groups, ...props.offered])]}
          value={values.groups}
          onChange={(groups) => set({ groups })}
          error={errorAt('groups')}
          searchable
          maxValues={100}
          nothingFoundMessage={t`Nothing found`}
        />
      )}
    </>
  )
}

/** The legal matters to whose recordings temporary access is limited. */
function MatterReach(props: {
  form: ReturnType<typeof useRolesForm>
  label: string
  offered: readonly { matter_id: string; name: string }[]
}) {
  const { t } = useLingui()
  const { values, set, errorAt } = props.form
  const known = new Map(props.offered.map(({ matter_id, name }) => [matter_id, visible(name)]))
  if (known.size === 0 && values.matters.length === 0) return null
  const offered = [...new Set([...values.matters, ...known.keys()])]
  return (
    <MultiSelect
      label={props.label}
      description={t`Recordings of the people on hold for them. None chosen: all recordings.`}
      data={offered.map((value) => ({ value, label: known.get(value) ?? t`Another legal matter` }))}
      value={values.matters}
      onChange={(matters) => set({ matters })}
      error={errorAt('matters')}
      searchable
      maxValues={20}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}

const faultIfNone = (path: string, names: readonly string[]) => faultIfEmpty(path, names.join(''))

/** Names of the roles and groups that the person in front may list. */
function useChoices() {
  const may = useMay()
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: may('roles:list') })
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: may('groups:list') })
  const { data: matters = [] } = useQuery({ ...openMattersQuery, enabled: may('account.legal_matters:list') })
  return {
    roles: roles.map(({ role_reference }) => role_reference),
    groups: groups.map(({ group_reference }) => group_reference),
    matters,
  }
}

/** The person once more; the last assignment says who changed it. */
async function readNewest({ user_reference }: PortalPersonDetail) {
  const person = await peopleApi.readPerson({ params: { user_reference }, query: {} })
  const last = person.assignment?.roles.toSorted((a, b) => b.assigned_at - a.assigned_at)[0]
  return {
    ...person,
    updated_at: last?.assigned_at ?? null,
    updated_by: last ? authorName(last, 'assigned_by') : null,
  }
}

/** Begins with what the person is assigned, else with the roles and groups that claims give them. */
function getDraft(person: PortalPersonDetail | undefined): Draft {
  if (person === undefined)
    return { user_reference: '', roles: [], reach: 'all', groups: [], ends_at: '', matters: [] }
  const { user_reference, assignment } = person
  const claimed = person.roles.filter(
    ({ source, exists }) => exists && (source === 'claim' || source === 'mapping'),
  )
  const roles = (assignment?.roles ?? claimed).map(({ role }) => role)
  const groups = assignment ? assignment.groups : person.roles_from === 'claims' ? person.groups : null
  const ends_at = assignment === null || assignment.ends_at === null ? '' : getDay(assignment.ends_at)
  const matters = assignment?.matters ?? []
  return {
    user_reference,
    roles,
    reach: groups === null ? 'all' : 'some',
    groups: groups ?? [],
    ends_at,
    matters,
  }
}

/** The day of epoch seconds as a date field has it, and the last second of such a day. */
const getDay = (seconds: number): string => new Date(seconds * 1000).toLocaleDateString('sv-SE')
const endOfDay = (day: string): number => (resolveDate(day, 'end', 0) ?? Number.NaN) - 1

/** A day that the user did not change keeps its time. */
function getInput(
  { roles, reach, groups, ends_at: day, matters }: Draft,
  person?: PortalPersonDetail,
): PersonRolesInput {
  const stored = person?.assignment?.ends_at ?? null
  const ends_at = stored !== null && getDay(stored) === day ? stored : day === '' ? null : endOfDay(day)
  return {
    roles,
    groups: reach === 'all' ? null : groups,
    ends_at: roles.length === 0 ? null : ends_at,
    matters: roles.length === 0 || matters.length === 0 ? null : matters,
  }
}

const getCall = (draft: Draft, person?: PortalPersonDetail) => ({
  params: { user_reference: draft.user_reference.trim() },
  body: getInput(draft, person),
})
