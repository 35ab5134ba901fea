import type { ClaimMapping } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../../components/facts.tsx'

/** The claim mapping after confirmation. */
export function MappingFacts({ mapping }: { mapping: ClaimMapping }) {
  const { t } = useLingui()
  const { rules, accepts_names, missing_groups } = mapping
  const none = t`No group`
  const all = t`All groups`
  if (mapping.roles_from === 'portal')
    return (
      <Facts title={t`Roles are assigned in the portal`}>
        <Fact label={t`Person claim`}>{visible(mapping.user_reference)}</Fact>
        <Fact label={t`Groups without an assignment`}>{missing_groups === 'all' ? all : none}</Fact>
      </Facts>
    )
  return (
    <Facts title={t`Roles and groups from claims`}>
      <Fact label={t`Person claim`}>{visible(mapping.user_reference)}</Fact>
      <Fact label={t`Roles claim`}>{visible(mapping.roles)}</Fact>
      <Fact label={t`Groups claim`}>{visible(mapping.groups)}</Fact>
      <Fact label={t`Token without groups`}>{missing_groups === 'all' ? all : none}</Fact>
      <Fact label={t`Other values`}>{accepts_names ? t`Role and group names` : t`Without effect`}</Fact>
      {rules.map(({ value, roles, groups, all_groups }) => (
        <Fact key={value} label={visible(value)}>
          {[...roles, ...(all_groups ? [all] : groups)].map(visible).join('\n') || t`Nothing`}
        </Fact>
      ))}
    </Facts>
  )
}
