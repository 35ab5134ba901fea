import { useLingui } from '@lingui/react/macro'
import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { dashboardQuery } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { CountCard } from './count-card.tsx'
import { Distribution } from './distribution.tsx'
import { WORK_HEIGHT } from './work-height.ts'

const Work = lazy(() => import('./work.tsx'))

/** What waits for the reader, and below it the fleet in numbers (spec section 2). */
export function DashboardScreen() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(dashboardQuery)
  return (
    <>
      <PageHeader title={t`Dashboard`} />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Suspense fallback={<Skeleton h={WORK_HEIGHT} radius="md" />}>
            <Work last_visit_at={error === null ? data?.last_visit_at : null} />
          </Suspense>
        </SimpleGrid>
        {error !== null && <ErrorState onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Waiting />}
        {data !== undefined && (
          <>
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <CountCard
                icon="device"
                title={t`Devices`}
                counts={[
                  { label: t`Activated`, count: data.devices.activated, color: 'teal' },
                  { label: t`Pending`, count: data.devices.pending, color: 'yellow' },
                  { label: t`Deactivated`, count: data.devices.deactivated, color: 'gray.6' },
                  { label: t`Legacy, activated`, count: data.devices.legacyActivated, color: 'indigo' },
                  { label: t`Legacy, deactivated`, count: data.devices.legacyDeactivated, color: 'gray.6' },
                ]}
              />
              <CountCard
                icon="group"
                title={t`Device users`}
                counts={[
                  { label: t`Onboarded`, count: data.device_users.onboarded, color: 'teal' },
                  { label: t`Offboarded`, count: data.device_users.offboarded, color: 'gray.6' },
                  { label: t`Legacy, onboarded`, count: data.device_users.legacyOnboarded, color: 'indigo' },
                  {
                    label: t`Legacy, offboarded`,
                    count: data.device_users.legacyOffboarded,
                    color: 'gray.6',
                  },
                ]}
              />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <Distribution title={t`App versions`} rows={data.app_versions} />
              <Distribution title={t`OS versions`} rows={data.os_versions} />
            </SimpleGrid>
          </>
        )}
      </Stack>
    </>
  )
}

const Waiting = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" aria-busy="true">
    <Skeleton h={232} radius="md" />
    <Skeleton h={232} radius="md" />
    <Skeleton h={180} radius="md" />
    <Skeleton h={180} radius="md" />
  </SimpleGrid>
)
