import type { TransferConfig } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { callQuery } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { RecordPage } from '../../components/record-page.tsx'
import { ActButton, DeleteButton, PageMenu } from '../../ui/act-button.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { visible } from '../../ui/visible.ts'
import { getDraft, NEW_CONFIG } from './config-draft.ts'
import { ConfigForm } from './config-form.tsx'
import { ConfigHistory, ConfigOverview } from './config-overview.tsx'
import { ConfigState } from './configs-list.tsx'

const route = getRouteApi('/dashboard/account/transfers/config')
const CONFIGS = { to: '/dashboard/account/transfers', search: { tab: 'configs' } } as const

/** `/dashboard/account/transfers/config?reference=…`: content, target, format and schedule; a new config without a reference. */
export default function ConfigPage() {
  const { t } = useLingui()
  const { reference } = route.useSearch()
  if (reference !== undefined) return <KnownConfig key={reference} reference={reference} />
  return (
    <>
      <PageHeader title={t`Add a configuration`} back={{ to: CONFIGS, label: t`All configurations` }} />
      <ConfigForm initial={NEW_CONFIG} />
    </>
  )
}

function KnownConfig({ reference }: { reference: string }) {
  const { t } = useLingui()
  const query = useQuery({
    ...callQuery(transfersApi, 'readTransferConfig', { params: { transfer_config_reference: reference } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <RecordPage query={query} title={visible(reference)} back={CONFIGS} backLabel={t`All configurations`}>
      {(config) => (
        <>
          <PageHeader
            title={visible(config.transfer_config_reference)}
            aside={<ConfigState config={config} />}
            actions={
              <>
                <Run config={config} />
                <PageMenu>
                  <Acts config={config} />
                </PageMenu>
              </>
            }
          />
          <ConfigOverview config={config} />
          <ConfigForm
            key={config.version}
            config={config}
            initial={getDraft(config)}
            onReload={() => void query.refetch()}
          />
          <ConfigHistory reference={config.transfer_config_reference} />
        </>
      )}
    </RecordPage>
  )
}

function Run({ config: { transfer_config_reference, is_active } }: { config: TransferConfig }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  if (!is_active) return null
  return (
    <ActButton
      action="transfer_configs:run"
      icon="external"
      label={t`Run now`}
      question={t`Run this configuration now?`}
      done={t`Run started`}
      variant="filled"
      onAct={async () => {
        const { transfer_id } = await transfersApi.runTransferConfig({
          params: { transfer_config_reference },
          query: {},
        })
        await navigate({ to: '/dashboard/account/transfers/$transfer_id', params: { transfer_id } })
      }}
    >
      <Trans>It delivers recordings processed since the last run.</Trans>
    </ActButton>
  )
}

function Acts({ config: { transfer_config_reference, version } }: { config: TransferConfig }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  return (
    <>
      {useMay()('transfer_reconciliations:list') && (
        <PageAct
          icon="check-circle"
          label={t`Reconciliation`}
          to={{
            to: '/dashboard/account/transfers',
            search: { tab: 'days', transfer_config_reference } as never,
          }}
        />
      )}
      <DeleteButton
        action="transfer_configs:delete"
        question={t`Delete this configuration?`}
        done={t`Configuration deleted`}
        onDelete={() =>
          transfersApi.deleteTransferConfig(
            { params: { transfer_config_reference }, query: {} },
            { if_match: version },
          )
        }
        onDeleted={() => void navigate(CONFIGS)}
      >
        <Trans>Its secrets are deleted too. Delivered files and the record of runs stay.</Trans>
      </DeleteButton>
    </>
  )
}
