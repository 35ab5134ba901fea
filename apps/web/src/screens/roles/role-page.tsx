import type { StoredRole } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { isNotFound } from '../../api/failure-text.ts'
import { useMay } from '../../api/use-profile.ts'
import { RecordNotFound } from '../../components/record-page.tsx'
import { roleDescription } from '../../components/words/role-words.ts'
import { PageMenu } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor, LinkButton } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagePending } from '../../ui/page-pending.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { DeleteRole, Holders, roleQuery } from './delete-role.tsx'
import { copyOfRole, draftOfRole, NEW_ROLE } from './role-draft.ts'
import { RoleEditor } from './role-editor.tsx'

/** Labels of the preset system roles. */
const PRESETS = [
  { role_reference: 'Compliance Reviewer', word: msg({ context: 'role', message: 'Reviewer' }) },
  { role_reference: 'Compliance Manager', word: msg({ context: 'role', message: 'Supervisor' }) },
  { role_reference: 'Auditor', word: msg({ context: 'role', message: 'Auditor' }) },
  { role_reference: 'Account Administrator', word: msg({ context: 'role', message: 'Administrator' }) },
  {
    role_reference: 'Fleet Administrator',
    word: msg({ context: 'role', message: 'Administrator of phones' }),
  },
] as const

/** Presets of a new role, each a copy of a system role. */
function Presets() {
  const { i18n, t } = useLingui()
  return (
    <Group component="nav" gap="sm" aria-label={t`Start from the role`}>
      <span>
        <Trans>Start from the role</Trans>
      </span>
      {PRESETS.map(({ role_reference, word }) => (
        <LinkAnchor
          key={role_reference}
          underline="always"
          title={`${role_reference}: ${roleDescription({ role_reference, is_system: true }, i18n)}`}
          to="/dashboard/access/roles/create"
          search={{ from: role_reference }}
        >
          {i18n._(word)}
        </LinkAnchor>
      ))}
    </Group>
  )
}

const useBack = () => {
  const { t } = useLingui()
  return { to: { to: '/dashboard/access/roles', search: {} }, label: t`All roles` } as const
}

const createRoute = getRouteApi('/dashboard/access/roles/create')
const editRoute = getRouteApi('/dashboard/access/roles/$role_reference')

/** `/dashboard/access/roles/create?from=…`: a new role, empty or a copy of another. */
export function CreateRole() {
  const { t, i18n } = useLingui()
  const { from } = createRoute.useSearch()
  const back = useBack()
  const original = useQuery({ ...roleQuery(from ?? ''), enabled: from !== undefined })
  const title = t`Create role`
  if (from !== undefined && original.data === undefined) {
    return original.error === null ? (
      <PagePending />
    ) : (
      <>
        <PageHeader title={title} />
        <ErrorState onRetry={() => void original.refetch()} />
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={title}
        back={back}
        description={from === undefined ? <Presets /> : <Trans>With the permissions of {from}</Trans>}
      />
      <RoleEditor
        key={from ?? ''}
        initial={
          original.data === undefined
            ? NEW_ROLE
            : copyOfRole({ ...original.data, description: roleDescription(original.data, i18n) })
        }
        isReadOnly={false}
      />
    </>
  )
}

/** `/dashboard/access/roles/{role_reference}`: edits a role; system roles are read-only and can be copied. */
export function EditRole() {
  const { role_reference } = editRoute.useParams()
  const { data: role, error, refetch } = useQuery(roleQuery(role_reference))
  if (role !== undefined) return <LoadedRole role={role} onReload={() => void refetch()} />
  if (error === null) return <PagePending />
  if (isNotFound(error))
    return (
      <RecordNotFound
        title={role_reference}
        back={{ to: '/dashboard/access/roles', search: {} }}
        backLabel={<Trans>All roles</Trans>}
      />
    )
  return (
    <>
      <PageHeader title={role_reference} />
      <ErrorState onRetry={() => void refetch()} />
    </>
  )
}

function LoadedRole({ role, onReload }: { role: StoredRole; onReload: () => void }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const back = useBack()
  const isReadOnly = role.is_system || !may('roles:update')
  const getDraft = (of: StoredRole) => draftOfRole({ ...of, description: roleDescription(of, i18n) })
  return (
    <>
      <PageHeader
        title={role.role_reference}
        back={back}
        description={<Holders role={role.role_reference} />}
        aside={
          role.is_system && (
            <Badge color="gray" leftSection={<Icon name="system" size={13} />}>
              {t`System`}
            </Badge>
          )
        }
        actions={
          <>
            {may('roles:update') && (
              <LinkButton
                {...(!role.is_system && { variant: 'default' })}
                leftSection={<Icon name="copy" size={16} />}
                to="/dashboard/access/roles/create"
                search={{ from: role.role_reference }}
              >
                {role.is_system ? <Trans>Copy as new role</Trans> : <Trans>Copy</Trans>}
              </LinkButton>
            )}
            {!role.is_system && may('roles:delete') && (
              <PageMenu>
                <DeleteRole role={role} />
              </PageMenu>
            )}
          </>
        }
      />
      <RoleEditor
        key={role.version}
        initial={getDraft(role)}
        stored={getStored(
          role,
          () => api.readRole({ params: { role_reference: role.role_reference }, query: {} }),
          getDraft,
        )}
        isReadOnly={isReadOnly}
        readOnlyReason={
          role.is_system && <Trans>System roles cannot be changed. Copy one to create your own.</Trans>
        }
        onReload={onReload}
      />
    </>
  )
}
