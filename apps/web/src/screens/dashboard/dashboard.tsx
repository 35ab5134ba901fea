import { useLingui } from '@lingui/react/macro'
import { Box, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { dashboardQuery } from '../../api/queries.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { FleetCards } from './fleet-cards.tsx'
import classes from './work.module.css'

/** Approximate height of the upper cards, in pixels: taller than a screen shows. */
const WORK_HEIGHT = 840

const Work = lazy(() => import('./work.tsx'))
const FirstSteps = lazy(() => withTexts('lazy', import('./first-steps.tsx')))
const Trends = lazy(() => withTexts('lazy', import('./trends.tsx')))

/** Home: the user's pending work, recordings, trends, and the fleet's figures (spec section 2). */
export function DashboardScreen() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(dashboardQuery)
  return (
    <>
      <PageHeader title={t`Home`} />
      <Stack
        gap="lg"
        className={classes.home}
        data-unknown={(data === undefined && error === null) || undefined}
      >
        {data?.open_steps && data.open_steps.length > 0 && (
          <Suspense fallback={<div data-pending />}>
            <FirstSteps open={data.open_steps} />
          </Suspense>
        )}
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Suspense fallback={<WorkPending />}>
            <Work last_visit_at={error === null ? data?.last_visit_at : null} />
          </Suspense>
        </SimpleGrid>
        {error !== null && <ErrorState onRetry={() => void refetch()} />}
        {data === undefined && error === null && <DashboardPending />}
        {data !== undefined && (
          <>
            <FleetCards data={data} />
            <InView>
              <Trends />
            </InView>
          </>
        )}
      </Stack>
    </>
  )
}

/** Content that loads when the reader scrolls to it. */
function InView({ children }: { children: React.ReactNode }) {
  const { ref, inViewport } = useInViewport()
  const [wasSeen, setSeen] = useState(false)
  if (inViewport && !wasSeen) setSeen(true)
  return (
    <div ref={ref}>
      {wasSeen ? (
        <Suspense fallback={<Skeleton h={320} radius="md" />}>{children}</Suspense>
      ) : (
        <Box h={320} />
      )}
    </div>
  )
}

const WorkPending = () => (
  <>
    <Skeleton h={WORK_HEIGHT} radius="md" aria-labelledby="worklist-title" aria-busy="true" />
    <Skeleton h={WORK_HEIGHT} radius="md" />
  </>
)

const DashboardPending = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" aria-busy="true">
    <Skeleton h={232} radius="md" />
    <Skeleton h={232} radius="md" />
    <Skeleton h={180} radius="md" />
    <Skeleton h={180} radius="md" />
  </SimpleGrid>
)
