import type { GivenRole, RoleAssignment } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { openMattersQuery } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact } from '../../components/facts.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'

interface RightsFactsProps {
  roles: readonly (GivenRole & { exists: boolean })[]
  /** Null: all groups. */
  groups: readonly string[] | null
  /** Who assigned the roles, for those that are assigned in the portal. */
  assignment?: RoleAssignment | null
}

/** The roles of a person, each with its reason, and the groups to which they are confined. */
export function RightsFacts({ roles, groups, assignment = null }: RightsFactsProps) {
  const { t } = useLingui()
  return (
    <>
      <Fact label={t`Roles`}>
        {roles.length === 0
          ? t`No roles`
          : roles.map((each) => <RoleLine key={each.role} given={each} assignment={assignment} />)}
      </Fact>
      <Fact label={t`Groups`}>{groupsText(groups, t`All groups`, t`No group`)}</Fact>
      <Fact label={t`Only recordings of`}>
        {assignment && assignment.matters !== null && <MatterNames matters={assignment.matters} />}
      </Fact>
      <Fact label={t`Access ends`}>
        {assignment && assignment.ends_at !== null && (
          <>
            <Time at={assignment.ends_at} />
            {assignment.roles.slice(0, 1).map((given) => (
              <Text key={given.role} size="sm" c="dimmed">
                <Trans>
                  given by {authorName(given, 'assigned_by')}, <Time at={given.assigned_at} style="day" />
                </Trans>
              </Text>
            ))}
          </>
        )}
      </Fact>
    </>
  )
}

/** Names of groups, one a line. */
export const groupsText = (groups: readonly string[] | null, all: string, none: string): string =>
  groups === null ? all : groups.map(visible).join('\n') || none

/** The legal matters to whose recordings access is limited; those that the reader may not see are counted. */
export function MatterNames({ matters }: { matters: readonly string[] }) {
  const may = useMay()
  const { data = [] } = useQuery({ ...openMattersQuery, enabled: may('account.legal_matters:list') })
  const names = data.filter(({ matter_id }) => matters.includes(matter_id)).map(({ name }) => visible(name))
  const others = matters.length - names.length
  return (
    <>
      {names.map((name) => (
        <div key={name}>{name}</div>
      ))}
      {others > 0 && (
        <div>
          {names.length > 0 ? (
            <Plural value={others} one="# other legal matter" other="# other legal matters" />
          ) : (
            <Plural value={others} one="# legal matter" other="# legal matters" />
          )}
        </div>
      )}
    </>
  )
}

function RoleLine({
  given: { role, source, value, exists },
  assignment,
}: {
  given: RightsFactsProps['roles'][number]
  assignment: RoleAssignment | null
}) {
  const { t } = useLingui()
  const name = value === null ? '' : visible(value)
  const why = {
    claim: t`named by a claim`,
    mapping: t`rule for ${name}`,
    assignment: <AssignedBy role={role} assignment={assignment} />,
    default: t`default role of the account`,
    first_administrator: t`first administrator of the account`,
  }[source]
  return (
    <div>
      {visible(role)}{' '}
      <Text span size="sm" c="dimmed">
        ({why}
        {!exists && <> · {t`no such role`}</>})
      </Text>
    </div>
  )
}

/** Who assigned a role, and when. */
export function AssignedBy({ role, assignment }: { role: string; assignment: RoleAssignment | null }) {
  const found = assignment?.roles.find((each) => each.role === role)
  if (!found) return <Trans>assigned in the portal</Trans>
  return (
    <Trans>
      assigned by {authorName(found, 'assigned_by')}, <Time at={found.assigned_at} style="day" />
    </Trans>
  )
}
