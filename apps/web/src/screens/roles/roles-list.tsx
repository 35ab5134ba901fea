import { RoleReference, type StoredRole } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { linkOptions } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { roleDescription } from '../../components/words/role-words.ts'
import { eitherFilter } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'

type Row = { row: StoredRole }

function DescriptionCell({ row }: Row) {
  const { i18n } = useLingui()
  const text = roleDescription(row, i18n)
  return <span title={text}>{text}</span>
}

const RulesCell = ({ row }: Row) => <Plural value={row.permissions.length} one="# rule" other="# rules" />

function TypesCell({ row: { payload_types } }: Row) {
  const { t, i18n } = useLingui()
  const text =
    payload_types.length === 0
      ? t`All types`
      : payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')
  return <span title={text}>{text}</span>
}

const column = getColumns<StoredRole>()

const roles = defineList({
  name: 'roles',
  call: 'listRoles',
  api,
  to: '/dashboard/access/roles',
  key: RoleReference,
  title: msg`Roles`,
  icon: 'shield',
  columns: [
    column.name('name', msg`Name`, (row) => row.role_reference, { width: 190, grow: 1 }),
    column.mark('system', msg`System`, (row) => row.is_system, {
      width: 104,
      stacked: 'end',
      word: msg`System`,
      icon: 'system',
      color: 'gray',
    }),
    column.drawn('description', msg`Description`, DescriptionCell, { width: 200, grow: 3, stacked: 'line' }),
    column.drawn('rules', msg`Rules`, RulesCell, (row) => row.permissions.length, { width: 84 }),
    column.drawn('types', msg`Payload types`, TypesCell, (row) => row.payload_types.join('; '), {
      width: 140,
      grow: 1,
    }),
    column.texts('networks', msg`Networks`, (row) => row.cidr_ranges, {
      width: 120,
      grow: 1,
      none: msg`everywhere`,
    }),
    column.mark('alertable', msg`Alertable`, (row) => row.is_alertable, {
      width: 136,
      word: msg`Raises alerts`,
      icon: 'bell',
      color: 'orange',
    }),
    ...savedColumns<StoredRole>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name or description` },
    eitherFilter('is_system', msg`Created by`, { false: msg`Your account`, true: msg`System` }),
    { name: 'is_alertable', kind: 'flag', label: msg`Raises alerts` },
  ],
  noMatch: msg`No roles match`,
  empty: {
    title: msg`No roles yet`,
    description: msg`Roles define permissions for groups and recording types.`,
  },
  isUnchanged: true,
  getKey: (row) => row.role_reference,
  detail: ({ role_reference }) =>
    linkOptions({ to: '/dashboard/access/roles/$role_reference', params: { role_reference } }),
  primaryAction: <CreateRole />,
})

function CreateRole() {
  if (!useMay()('roles:update')) return null
  return (
    <LinkButton leftSection={<Icon name="plus" size={16} />} to="/dashboard/access/roles/create">
      <Trans>Create role</Trans>
    </LinkButton>
  )
}

/** `/dashboard/access/roles`: all roles. */
export const RolesList = () => <ListPage list={roles} />
