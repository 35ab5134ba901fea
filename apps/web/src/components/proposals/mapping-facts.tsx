import type { ClaimMapping } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../facts.tsx'

/** The claim mapping after confirmation. */
export function MappingFacts({ mapping }: { mapping: ClaimMapping }) {
  const { t } = useLingui()
  const { rules, accepts_names, missing_groups } = mapping
  const none = t`No group`
  const all = t`All groups`
  return (
    <Facts title={t`Claims give roles and groups`}>
      <Fact label={t`Claim of the person`}>{visible(mapping.user_reference)}</Fact>
      <Fact label={t`Claim of the roles`}>{visible(mapping.roles)}</Fact>
      <Fact label={t`Claim of the groups`}>{visible(mapping.groups)}</Fact>
      <Fact label={t`Token without groups`}>{missing_groups === 'all' ? all : none}</Fact>
      <Fact label={t`Other values`}>{accepts_names ? t`Names of roles and groups` : t`Without effect`}</Fact>
      {rules.map(({ value, roles, groups, all_groups }) => (
        <Fact key={value} label={visible(value)}>
          {[...roles, ...(all_groups ? [all] : groups)].map(visible).join('\n') || t`Nothing`}
        </Fact>
      ))}
    </Facts>
  )
}
