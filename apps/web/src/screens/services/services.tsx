import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { PagePending } from '../../ui/page-pending.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { SimpleGrid } from '@mantine/core'
import { usePayloadTotals } from '../payloads/payload-totals.ts'
import { type ScreenService, SERVICES } from '../payloads/services.ts'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { CARD_LISTS, ServiceCard } from './service-card.tsx'

const NAMES = Object.keys(SERVICES) as ScreenService[]
const COUNTED = NAMES.flatMap((service) => CARD_LISTS.map((search) => ({ service, search })))
const REFRESH_MS = 60_000

/** `/dashboard/services`: one card per service. */
function ServicesOverview() {
  const { t } = useLingui()
  const { data } = usePayloadTotals(COUNTED, true, REFRESH_MS)
  return (
    <>
      <PageHeader title={t`Overview`} description={<Trans>New recordings and open tasks.</Trans>} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {NAMES.map((service, i) => (
          <ServiceCard
            key={service}
            service={service}
            totals={data?.totals.slice(i * CARD_LISTS.length, (i + 1) * CARD_LISTS.length)}
          />
        ))}
      </SimpleGrid>
    </>
  )
}

const Holds = lazy(() => withTexts('lazy', import('../legal-holds/holds-list.tsx')))

const Matters = lazy(() => withTexts('lazy', import('../legal-matters/matters-list.tsx')))

const Requests = lazy(() => withTexts('lazy', import('../data-requests/requests-list.tsx')))

const Proposals = lazy(() => withTexts('lazy', import('../proposals/proposals-list.tsx')))

const Retention = lazy(() => withTexts('lazy', import('../retention/retention-page.tsx')))

const route = getRouteApi('/dashboard/services')

const to = '/dashboard/services' as const

/** Tabs next to the overview; each loads on demand. */
const TABS = [
  { tab: 'retention', label: msg`Retention`, action: 'account.retention:read', Page: Retention },
  { tab: 'holds', label: msg`Legal holds`, action: 'account.legal_holds:list', Page: Holds },
  { tab: 'matters', label: msg`Legal matters`, action: 'account.legal_matters:list', Page: Matters },
  {
    tab: 'requests',
    label: msg`Data subject requests`,
    action: 'account.data_requests:list',
    Page: Requests,
  },
  { tab: 'proposals', label: msg`Approvals`, action: 'account.proposals:list', Page: Proposals },
] as const

/** `/dashboard/services`: service cards; `?tab=` shows retention and other tabs. */
export function Services() {
  const { tab } = route.useSearch()
  const may = useMay()
  const offered = TABS.filter(({ action }) => may(action))
  // Administrators without review rights start at their first permitted tab.
  const hasOverview = may('payloads:list')
  const shown = offered.find((each) => each.tab === tab) ?? (hasOverview ? undefined : offered[0])
  const tabs = [
    ...(hasOverview ? [{ to, search: {}, label: msg`Overview`, isShown: shown === undefined }] : []),
    ...offered.map((each) => ({
      to,
      search: { tab: each.tab },
      label: each.label,
      isShown: each === shown,
    })),
  ]
  return (
    <PageTabs label={msg`Overview`} tabs={tabs.length > 1 ? tabs : []}>
      <Suspense fallback={<PagePending />}>{shown ? <shown.Page /> : <ServicesOverview />}</Suspense>
    </PageTabs>
  )
}
