import type { ClientApp } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { appQuery } from './app-queries.ts'

/** A client app beside its list. */
export default function AppPreview({ rowKey, row }: { rowKey: string; row: ClientApp | undefined }) {
  const { t } = useLingui()
  const may = useMay()
  const { data, error, refetch } = useQuery({
    ...appQuery(rowKey),
    enabled: row === undefined && may('account.apps:read'),
  })
  const app = row ?? data
  if (app === undefined)
    return error === null ? (
      <Skeleton h={320} aria-busy />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    )
  return (
    <Stack gap="md">
      <Facts title={t`Identity`}>
        <Fact label={t`Name`}>{app.app_reference}</Fact>
        <Fact label={t`Issuer`}>{app.oidc_config.issuer}</Fact>
        <Fact label={t`Audience`}>{app.oidc_config.audience}</Fact>
        <Fact label={t`Public keys`}>{app.oidc_config.jwks_uri}</Fact>
        <Fact label={t`Last seen`}>
          {app.last_seen === null ? t`Never` : <Time at={app.last_seen} style="second" />}
        </Fact>
      </Facts>
      <Facts title={t`Reach`}>
        <Fact label={t`Roles`}>{app.roles.join('\n')}</Fact>
        <Fact label={t`Group`}>{app.group ?? t`None`}</Fact>
        <Fact label={t`Networks`}>{app.cidr_ranges.length === 0 ? t`Any` : app.cidr_ranges.join('\n')}</Fact>
      </Facts>
      <Facts title={t`Last change`}>
        <Fact label={t`At`}>{app.updated_at === null ? null : <Time at={app.updated_at} />}</Fact>
        <Fact label={t`By`}>{app.updated_by}</Fact>
      </Facts>
    </Stack>
  )
}
