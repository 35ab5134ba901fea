import { ApprovalState, ClientReference, type SupportAccess } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Center, Paper } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { flag, one, searchReader } from '../../components/lists/list-search.ts'
import { requestsQuery } from '../../components/support-access/support-access.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { RequestsTable } from './requests-table.tsx'

/** `/internal/support?state=approved`; `request` opens the drawer for `client`. */
const supportSearch = searchReader({
  state: one(ApprovalState),
  request: flag,
  client: one(ClientReference),
})
export type SupportSearch = ReturnType<typeof supportSearch>

const RequestDrawer = lazy(() => import('./request-drawer.tsx'))
const route = getRouteApi('/internal/support')

const TITLE = msg`Support`

/** Tabs by frequency of use. */
const TABS: Readonly<Record<ApprovalState, { label: MessageDescriptor; none: MessageDescriptor }>> = {
  pending: {
    label: msg({ context: 'requests', message: 'Pending' }),
    none: msg`No pending client decisions`,
  },
  approved: {
    label: msg({ context: 'requests', message: 'Approved' }),
    none: msg`No approved access`,
  },
  rejected: { label: msg({ context: 'requests', message: 'Rejected' }), none: msg`No rejected requests` },
  revoked: { label: msg({ context: 'requests', message: 'Revoked' }), none: msg`No revoked approvals` },
  expired: { label: msg({ context: 'requests', message: 'Expired' }), none: msg`No expired requests` },
  canceled: {
    label: msg({ context: 'requests', message: 'Canceled' }),
    none: msg`No withdrawn requests`,
  },
}

/** `/internal/support`: requests for access to clients, and the start of support mode. */
export function SupportScreen() {
  const { i18n } = useLingui()
  const { state = 'pending', request: isAsking, client } = supportSearch(route.useSearch())
  const navigate = useNavigate()
  const may = useMay()
  const show = (search: SupportSearch) =>
    void navigate({ to: '/internal/support', search, replace: true, resetScroll: false })
  const ask = may('internal.supportaccess:request') && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show({ state, request: true })}>
      <Trans>Request access</Trans>
    </Button>
  )
  return (
    <PageTabs
      label={TITLE}
      tabs={(Object.keys(TABS) as ApprovalState[]).map((each) => ({
        to: '/internal/support',
        search: { state: each } as never,
        label: TABS[each].label,
        isShown: each === state,
      }))}
    >
      <PageHeader
        title={i18n._(TITLE)}
        description={
          <Trans>
            Request access from a client with one of its roles. After approval, support mode is available
            until expiry or revocation.
          </Trans>
        }
        actions={ask}
      />
      <Paper>
        <Requests key={state} state={state} none={i18n._(TABS[state].none)} />
      </Paper>
      <Suspense>
        {isAsking && (
          <RequestDrawer
            client={client}
            onClose={() => show({ state })}
            onSaved={() => show({ state: 'pending' })}
          />
        )}
      </Suspense>
    </PageTabs>
  )
}

function Requests({ state, none }: { state: ApprovalState; none: string }) {
  const query = useInfiniteQuery(requestsQuery(state))
  const pages = query.data?.pages
  const requests: SupportAccess[] | undefined = pages?.flatMap(({ data }) => data)
  return (
    <QueryResult query={{ data: requests, error: query.error, refetch: query.refetch }}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState
            icon="lifebuoy"
            title={none}
            description={<Trans>Requests appear here with client, role and requested time.</Trans>}
          />
        ) : (
          <>
            <RequestsTable state={state} requests={rows} />
            {query.hasNextPage && (
              <Center p="md">
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  <Trans>Load more</Trans>
                </Button>
              </Center>
            )}
          </>
        )
      }
    </QueryResult>
  )
}
