import { peopleEndpoints, type PortalPerson, UserReference } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { peopleApi } from '../../api/access-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { roleChoicesQuery } from '../../api/queries.ts'
import { columnsOf } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'

const RolesDrawer = lazy(() => withTexts('lazy', import('./roles-drawer.tsx')))
const MappingDrawer = lazy(() => withTexts('lazy', import('./mapping-drawer.tsx')))

const column = columnsOf<PortalPerson>()

const people = defineList({
  name: 'people',
  call: 'listPeople',
  row: peopleEndpoints.listPeople,
  ask: peopleApi.listPeople,
  to: '/dashboard/access/people',
  key: UserReference,
  title: msg`People`,
  icon: 'user',
  columns: [
    column.name('name', msg`Name`, nameOf, { width: 160, grow: 2 }),
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
    column.text('email', msg`Email`, (row) => row.email, { width: 160, grow: 1, isOptional: true }),
    column.count('sessions', msg`Open sessions`, ({ open_sessions }) => open_sessions, { width: 120 }),
    column.moment('first', msg`First seen`, (row) => row.first_seen, {
      width: 154,
      isOptional: true,
      time: 'first_seen',
      none: msg`Never`,
    }),
    column.moment('seen', msg`Last seen`, (row) => row.last_seen, {
      width: 154,
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
  ],
  noMatch: msg`No people match`,
  empty: {
    title: msg`No people yet`,
    description: msg`People appear here after their first sign-in or role assignment.`,
  },
  keyOf: (row) => row.user_reference,
  Preview: lazy(() => withTexts('lazy', import('./person-preview.tsx'))),
  primaryAction: (
    <>
      <OpenMapping />
      <AddPerson />
    </>
  ),
})

/** `/dashboard/access/people`: portal users with roles and sessions. */
export const PeopleList = () => <ListPage list={people} />

function nameOf({ display_name, user_reference }: PortalPerson): string {
  return display_name ?? user_reference
}

function useRoles() {
  const { data } = useQuery({ ...roleChoicesQuery, enabled: useMay()('roles:list') })
  return (data ?? []).map(({ role_reference }) => ({ value: role_reference, label: role_reference }))
}

/** Opens the identity provider settings and the claim mapping; the address does so with `claims=true`. */
function OpenMapping() {
  const { claims } = useSearch({ strict: false }) as { claims?: true }
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(claims === true)
  if (!useMay()('account.identity:read')) return null
  const close = () => {
    setOpen(false)
    if (claims)
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
      {isOpen && (
        <Suspense>
          <MappingDrawer onClose={close} />
        </Suspense>
      )}
    </>
  )
}

/** Opens the form that assigns roles to a person who has not signed in yet. */
function AddPerson() {
  const [isOpen, setOpen] = useState(false)
  if (!useMay()('people.roles:update')) return null
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Add person</Trans>
      </Button>
      {isOpen && (
        <Suspense>
          <RolesDrawer onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
