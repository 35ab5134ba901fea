import type { ClientApp } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { appsApi } from '../../api/client-apps-api.ts'
import { recordQuery } from '../../api/queries.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'

/** A client app, for its drawer and its preview. */
export const appQuery = recordQuery('readClientApp', (app_reference, options) =>
  appsApi.readClientApp({ params: { app_reference }, query: {} }, options),
)

export default function AppPreview({ rowKey, row }: PreviewProps<ClientApp>) {
  const { t } = useLingui()
  return (
    <RecordPreview row={row} query={appQuery(rowKey)} action="account.apps:read" isRowWhole>
      {({ app_reference, oidc_config, last_seen, roles, group, cidr_ranges, updated_at, ...app }) => (
        <>
          <Facts title={t`Identity`}>
            <Fact label={t`Name`}>{app_reference}</Fact>
            <Fact label={t`Issuer`}>{oidc_config.issuer}</Fact>
            <Fact label={t`Audience`}>{oidc_config.audience}</Fact>
            <Fact label={t`Public keys`}>{oidc_config.jwks_uri}</Fact>
            <Fact label={t`Last seen`}>
              {last_seen === null ? t`Never` : <Time at={last_seen} style="second" />}
            </Fact>
          </Facts>
          <Facts title={t`Reach`}>
            <Fact label={t`Roles`}>{roles.join('\n')}</Fact>
            <Fact label={t`Group`}>{group ?? t`None`}</Fact>
            <Fact label={t`Networks`}>{cidr_ranges.length === 0 ? t`Any` : cidr_ranges.join('\n')}</Fact>
          </Facts>
          <Facts title={t`Last change`}>
            <Fact label={t`At`}>{updated_at && <Time at={updated_at} />}</Fact>
            <Fact label={t`By`}>{authorName(app, 'updated_by')}</Fact>
          </Facts>
        </>
      )}
    </RecordPreview>
  )
}
