import { Trans, useLingui } from '@lingui/react/macro'
import { SimpleGrid } from '@mantine/core'
import { usePayloadTotals } from '../payloads/payload-totals.ts'
import { type ScreenService, SERVICES } from '../payloads/services.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { CARD_LISTS } from './card-lists.ts'
import { ServiceCard } from './service-card.tsx'

const NAMES = Object.keys(SERVICES) as ScreenService[]
const COUNTED = NAMES.flatMap((service) => CARD_LISTS.map((search) => ({ service, search })))
const REFRESH_MS = 60_000

/** `/dashboard/services`: one card per service. */
export function ServicesOverview() {
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
