import { ClientReference, DEVICE_SERVICES, type Licenses, text } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { ClientsTable } from '../../components/clients/clients-table.tsx'
import { licensesQuery } from '../../components/clients/clients.tsx'
import { freeText, one, searchReader } from '../../components/lists/list-search.ts'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import type { DataColumn } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { licenseLevel } from './license-level.ts'
import classes from './licenses.module.css'

/** `/internal/licenses?search=acme`; `edit` opens the drawer of a client's limits. */
const licensesSearch = searchReader({ search: freeText(text(1, 255)), edit: one(ClientReference) })
export type LicensesSearch = ReturnType<typeof licensesSearch>

const LimitsDrawer = lazy(() => import('./limits-drawer.tsx'))
const route = getRouteApi('/internal/licenses')

/** `/internal/licenses`: device limits and use per client and service. */
export function LicensesScreen() {
  const { t, i18n } = useLingui()
  const search = licensesSearch(route.useSearch())
  const navigate = useNavigate()
  const query = useQuery(licensesQuery)
  const mayEdit = useMay()('internal.licenses:update')
  const change = (changes: LicensesSearch) =>
    void navigate({
      to: '/internal/licenses',
      search: { ...search, ...changes },
      replace: true,
      resetScroll: false,
    })
  const columns: DataColumn<Licenses>[] = DEVICE_SERVICES.map((service) => ({
    label: i18n._(SERVICE_WORDS[service]),
    align: 'end',
    cell: ({ limits, used }) => <Usage used={used[service]} limit={limits[service]} />,
  }))
  const edit = ({ client, client_name }: Licenses) => (
    <Button
      size="xs"
      variant="default"
      onClick={() => change({ edit: client })}
      aria-label={t`Edit the limits of ${client_name}`}
    >
      <Trans>Edit</Trans>
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t`Licences`}
        description={<Trans>Activated devices that use a service, and its limit.</Trans>}
      />
      <Paper>
        <ClientsTable
          query={query}
          caption={t`Licences`}
          columns={columns}
          actions={mayEdit ? edit : undefined}
          empty={{
            icon: 'check-circle',
            title: t`No licences yet`,
            description: <Trans>All clients and their limits appear here.</Trans>,
          }}
          search={search}
          change={change}
          drawer={
            mayEdit
              ? (licenses, onClose) => (
                  <LimitsDrawer
                    key={`${licenses.client} ${licenses.version}`}
                    licenses={licenses}
                    onClose={onClose}
                    onReload={() => void query.refetch()}
                  />
                )
              : undefined
          }
        />
      </Paper>
    </>
  )
}

/** `90 / 100` with icon and word near the limit. */
function Usage({ used, limit }: { used: number; limit: number }) {
  const { t, i18n } = useLingui()
  const level = licenseLevel(used, limit)
  const word = {
    none: t`none`,
    fine: undefined,
    nearly: t`nearly full`,
    full: t`full`,
    over: t`above the limit`,
  }[level]
  return (
    <span className={classes.usage} data-share={level}>
      <span className="tabular">
        {i18n.number(used)} / {i18n.number(limit)}
      </span>
      {word !== undefined && (
        <span className={classes.word}>
          {level !== 'none' && <Icon name="warning" size={13} />}
          {word}
        </span>
      )}
    </span>
  )
}
