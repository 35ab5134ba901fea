import { type PortalPerson, TEMPORARY_ACCESS_WARNING_DAYS, UserReference } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans } from '@lingui/react/macro'
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { peopleApi } from '../../api/access-api.ts'
import { roleChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { flag } from '../../components/lists/list-search.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visible } from '../../ui/visible.ts'

const RolesDrawer = lazy(() => withTexts('lazy', import('./roles-drawer.tsx')))
const MappingDrawer = lazy(() => withTexts('lazy', import('./mapping-drawer.tsx')))

const column = getColumns<PortalPerson>()

const people = defineList({
  name: 'people',
  call: 'listPeople',
  api: peopleApi,
  to: '/dashboard/access/people',
  key: UserReference,
  title: msg`People`,
  icon: 'user',
  columns: [
    column.name('name', msg`Name`, getName, { width: 160, grow: 2 }),
    column.text('reference', msg`Reference`, (row) => row.user_reference, {
      width: 140,
      grow: 1,
      isOptional: true,
    }),
    column.texts('roles', msg`Roles`, (row) => row.roles.map(({ role }) => role), {
      width: 180,
      grow: 2,
      stacked: 'line',
      none: msg`No roles`,
    }),
    column.texts('groups', msg`Groups`, (row) => row.groups ?? [], {
      width: 120,
      grow: 1,
      none: msg`All groups`,
    }),
    column.drawn(
      'ends',
      msg`Access ends`,
      ({ row: { assignment } }) =>
        assignment && assignment.ends_at !== null && <AccessEnd ends_at={assignment.ends_at} />,
      ({ assignment }) => assignment?.ends_at ?? null,
      { width: 190, stacked: 'line', hasValue: ({ assignment }) => (assignment?.ends_at ?? null) !== null },
    ),
    column.text('email', msg`Email`, { width: 160, grow: 1, isOptional: true }),
    column.count('sessions', msg`Open sessions`, ({ open_sessions }) => open_sessions, { width: 120 }),
    column.moment('first', msg`First seen`, (row) => row.first_seen, {
      isOptional: true,
      time: 'first_seen',
      none: msg`Never`,
    }),
    column.moment('seen', msg`Last seen`, (row) => row.last_seen, {
      stacked: 'end',
      time: 'last_seen',
      none: msg`Never`,
    }),
  ],
  dates: [
    { value: 'last_seen', label: msg`Last seen` },
    { value: 'first_seen', label: msg`First seen` },
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name, reference or email` },
    {
      name: 'role',
      kind: 'choice',
      isSingle: true,
      label: msg`Role`,
      useOptions: useRoles,
      action: 'roles:list',
    },
    { name: 'has_sessions', kind: 'flag', label: msg`Signed in now` },
    { name: 'is_temporary', kind: 'flag', label: msg`Temporary access` },
  ],
  noMatch: msg`No people match`,
  empty: {
    title: msg`No people yet`,
    description: msg`People appear here after their first sign-in or role assignment.`,
  },
  getKey: (row) => row.user_reference,
  rowTitle: (row) => visible(getName(row)),
  Preview: lazy(() => withTexts('lazy', import('./person-preview.tsx'))),
  records: {
    Drawer: RolesDrawer,
    create: { label: msg`Add person`, action: 'people.roles:update' },
    isOnlyCreated: true,
  },
})

const withMapping = {
  ...people,
  primaryAction: (
    <>
      <OpenMapping />
      {people.primaryAction}
    </>
  ),
}

/** `/dashboard/access/people`: portal users with roles and sessions. */
export const PeopleList = () => <ListPage list={withMapping} />

const DAY = 86_400

/** When temporary access ends, or in how many days. */
function AccessEnd({ ends_at }: { ends_at: number }) {
  const left = ends_at - useNow()
  const days = Math.floor(left / DAY)
  if (left <= 0)
    return (
      <>
        <Time at={ends_at} style="day" />{' '}
        <Badge color="gray">
          <Trans context="access">Ended</Trans>
        </Badge>
      </>
    )
  return days > TEMPORARY_ACCESS_WARNING_DAYS ? (
    <Time at={ends_at} style="day" />
  ) : (
    <Badge color="orange">
      {days === 0 ? (
        <Trans>Ends today</Trans>
      ) : (
        <Plural value={days} one="Ends in # day" other="Ends in # days" />
      )}
    </Badge>
  )
}

function getName({ display_name, user_reference }: PortalPerson): string {
  return display_name ?? user_reference
}

function useRoles() {
  const { data } = useQuery({ ...roleChoicesQuery, enabled: useMay()('roles:list') })
  return (data ?? []).map(({ role_reference }) => ({ value: role_reference, label: role_reference }))
}

/** Opens the identity provider settings and the claim mapping; the address does so with `claims=true`. */
function OpenMapping() {
  const isAsked = flag((useSearch({ strict: false }) as { claims?: unknown }).claims) === true
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  if (!useMay()('account.identity:read')) return null
  const close = () => {
    setOpen(false)
    if (isAsked)
      void navigate({
        to: '.',
        search: ((before: object) => ({ ...before, claims: undefined })) as never,
        replace: true,
      })
  }
  return (
    <>
      <Button variant="default" leftSection={<Icon name="key" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Sign-in and claims</Trans>
      </Button>
      {(isOpen || isAsked) && (
        <Suspense>
          <MappingDrawer onClose={close} />
        </Suspense>
      )}
    </>
  )
}
