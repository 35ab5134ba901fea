import type { StoredRole } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { roleDescription } from '../../components/words/role-words.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { PatternsInWords } from '../../components/words/permission-words.tsx'

/** Permissions of a requested role, with a link; only its name without the right to read roles. */
export function RoleFacts({ role }: { role: string }) {
  const { t } = useLingui()
  const mayRead = useMay()('roles:read')
  const { data, isPending } = useQuery({
    queryKey: keyOf('readRole', 'facts', role),
    queryFn: ({ signal }) => api.readRole({ params: { role_reference: role }, query: {} }, { signal }),
    enabled: mayRead,
  })
  return (
    <Facts title={t`The role`}>
      <Fact label={t`Role`}>
        {mayRead ? (
          <Anchor
            renderRoot={(props) => (
              <Link
                {...props}
                to="/dashboard/access/roles/$role_reference"
                params={{ role_reference: role }}
              />
            )}
          >
            {role}
          </Anchor>
        ) : (
          role
        )}
      </Fact>
      {!mayRead ? (
        <Text size="sm" c="dimmed">
          <Trans>You cannot see its permissions.</Trans>
        </Text>
      ) : isPending ? (
        <Skeleton h={60} aria-busy />
      ) : data === undefined ? (
        <Text size="sm" c="dimmed">
          <Trans>Permissions could not be loaded.</Trans>
        </Text>
      ) : (
        <RoleRules role={data} />
      )}
    </Facts>
  )
}

function RoleRules({ role }: { role: StoredRole }) {
  const { t, i18n } = useLingui()
  const rules = role.permissions
  return (
    <>
      <Fact label={t`Description`}>{roleDescription(role, i18n)}</Fact>
      {rules.some(({ is_denied }) => !is_denied) && (
        <Fact label={t`Allows`}>
          <PatternsInWords rules={rules.filter(({ is_denied }) => !is_denied)} />
        </Fact>
      )}
      {rules.some(({ is_denied }) => is_denied) && (
        <Fact label={t`Denies`}>
          <PatternsInWords rules={rules.filter(({ is_denied }) => is_denied)} />
        </Fact>
      )}
      <Fact label={t`Types`}>
        {role.payload_types.length === 0
          ? t`All types`
          : role.payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')}
      </Fact>
      <Fact label={t`Alert`}>{role.is_alertable ? t`Its use raises an alert.` : null}</Fact>
    </>
  )
}
