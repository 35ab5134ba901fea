import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { dashboardQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import type { SearchOf } from '../../components/lists/call-search.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { ErrorState } from '../../ui/states.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { BarTable } from './bar-table.tsx'
import { WORK_HEIGHT } from './work-height.ts'

/** Rows shown before "all versions". */
const SHORT = 6

/** Devices per version, most frequent first. */
function Distribution({
  title,
  rows,
  listOf,
}: {
  title: string
  /** Devices of a version; absent without the right to list them. */
  listOf: ((version: string) => LinkTarget) | undefined
  rows: readonly { version: string; count: number }[]
}) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const sorted = rows.toSorted((a, b) => b.count - a.count || b.version.localeCompare(a.version))
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const hidden = sorted.length - SHORT
  return (
    <Card component="section" aria-label={title} padding="lg">
      <Title order={2} mb="md">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">
          <Trans>Versions appear here after the first device authenticates.</Trans>
        </Text>
      ) : (
        <BarTable
          caption={title}
          heading={t`Version`}
          total={total}
          rows={(all ? sorted : sorted.slice(0, SHORT)).map(({ version, count }) => ({
            label: version,
            count,
            to: listOf?.(version),
          }))}
        />
      )}
      {hidden > 0 && (
        <Button mt="sm" size="xs" variant="subtle" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? (
            <Trans>Show fewer</Trans>
          ) : (
            <Plural value={hidden} one="# more version" other="# more versions" />
          )}
        </Button>
      )}
    </Card>
  )
}

const Work = lazy(() => import('./work.tsx'))

/** The user's pending work, and the fleet's figures (spec section 2). */
export function DashboardScreen() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(dashboardQuery)
  const may = useMay()
  const devices = may('devices:list')
    ? (search: SearchOf<'listDevices'>): LinkTarget => ({ to: '/dashboard/devices', search })
    : undefined
  const users = may('users:list')
    ? (search: SearchOf<'listDeviceUsers'>): LinkTarget => ({ to: '/dashboard/devices/users', search })
    : undefined
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
                  {
                    label: t`Activated`,
                    count: data.devices.activated,
                    color: 'teal',
                    to: devices?.({ states: ['activated'], is_legacy: false }),
                  },
                  {
                    label: t`Pending`,
                    count: data.devices.pending,
                    color: 'yellow',
                    to: devices?.({ states: ['pending'], is_legacy: false }),
                  },
                  {
                    label: t`Deactivated`,
                    count: data.devices.deactivated,
                    color: 'gray.6',
                    to: devices?.({ states: ['deactivated', 'blocked'], is_legacy: false }),
                  },
                  {
                    label: t`Legacy, activated`,
                    count: data.devices.legacyActivated,
                    color: 'indigo',
                    to: devices?.({ states: ['activated', 'pending'], is_legacy: true }),
                  },
                  {
                    label: t`Legacy, deactivated`,
                    count: data.devices.legacyDeactivated,
                    color: 'gray.6',
                    to: devices?.({ states: ['deactivated', 'blocked'], is_legacy: true }),
                  },
                ]}
              />
              <CountCard
                icon="group"
                title={t`Device users`}
                counts={[
                  {
                    label: t`Onboarded`,
                    count: data.device_users.onboarded,
                    color: 'teal',
                    to: users?.({ is_active: true, is_legacy: false }),
                  },
                  {
                    label: t`Offboarded`,
                    count: data.device_users.offboarded,
                    color: 'gray.6',
                    to: users?.({ is_active: false, is_legacy: false }),
                  },
                  {
                    label: t`Legacy, onboarded`,
                    count: data.device_users.legacyOnboarded,
                    color: 'indigo',
                    to: users?.({ is_active: true, is_legacy: true }),
                  },
                  {
                    label: t`Legacy, offboarded`,
                    count: data.device_users.legacyOffboarded,
                    color: 'gray.6',
                    to: users?.({ is_active: false, is_legacy: true }),
                  },
                ]}
              />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <Distribution
                title={t`App versions`}
                rows={data.app_versions}
                listOf={
                  devices && ((app_version) => devices({ app_version, states: ['activated', 'pending'] }))
                }
              />
              <Distribution
                title={t`OS versions`}
                rows={data.os_versions}
                listOf={
                  devices && ((os_version) => devices({ os_version, states: ['activated', 'pending'] }))
                }
              />
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

interface Counted {
  label: string
  count: number
  color: string
  to?: LinkTarget | undefined
}

/** A total and its parts. */
function CountCard({ icon, title, counts }: { icon: IconName; title: string; counts: readonly Counted[] }) {
  const { t, i18n } = useLingui()
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const shownTotal = i18n.number(total)
  return (
    <Card component="section" aria-label={title} padding="lg">
      <Group justify="space-between" align="flex-start" mb="md">
        <Group gap="xs">
          <Icon name={icon} />
          <Title order={2}>{title}</Title>
        </Group>
        <Text className="tabular" fz={28} fw={700} lh={1}>
          {shownTotal}{' '}
          <Text span size="sm" c="dimmed" fw={400}>
            <Trans>in total</Trans>
          </Text>
        </Text>
      </Group>
      <BarTable caption={title} heading={t`State`} total={total} rows={counts} />
    </Card>
  )
}
