import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { clientAlerts } from './client-alerts-list.ts'
import { ClientAlertsSearch } from './client-alerts-search.ts'

const NotifyDrawer = lazy(() => import('./notify-drawer.tsx'))
const route = getRouteApi('/internal/alerts')
const list = { ...clientAlerts, primaryAction: <Notify /> }

/** `/internal/alerts`: operational alerts of all clients, and notices to them. */
export function ClientAlertsScreen() {
  const { create: isNotifying, ...search } = ClientAlertsSearch.parse(route.useSearch())
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/internal/alerts', search, replace: true, resetScroll: false })
  return (
    <>
      <ListPage list={list} search={search} />
      <Suspense>{isNotifying && <NotifyDrawer onClose={close} />}</Suspense>
    </>
  )
}

function Notify() {
  const search = ClientAlertsSearch.parse(route.useSearch())
  const navigate = useNavigate()
  if (!useMay()('internal.alerts:notify')) return null
  return (
    <Button
      leftSection={<Icon name="message" size={16} />}
      onClick={() =>
        void navigate({ to: '/internal/alerts', search: { ...search, create: true }, resetScroll: false })
      }
    >
      <Trans>Notify clients</Trans>
    </Button>
  )
}
