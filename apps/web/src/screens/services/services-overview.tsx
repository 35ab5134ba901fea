import { Trans, useLingui } from '@lingui/react/macro'
import { SimpleGrid } from '@mantine/core'
import { PageHeader } from '../../ui/page-header.tsx'
import { type ScreenService, SERVICES } from '../../components/payloads/services.ts'
import { ServiceCard } from './service-card.tsx'

/** `/dashboard/services`: each service at a glance, and the way into its list. */
export function ServicesOverview() {
  const { t } = useLingui()
  return (
    <>
      <PageHeader
        title={t`Overview`}
        description={<Trans>What has arrived, and what needs somebody.</Trans>}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {(Object.keys(SERVICES) as ScreenService[]).map((service) => (
          <ServiceCard key={service} service={service} />
        ))}
      </SimpleGrid>
    </>
  )
}
