import type { Dashboard } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, SimpleGrid, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { SearchOf } from '../../components/lists/call-search.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { BarTable } from './bar-table.tsx'

/** Figures of the fleet (spec section 2), each a link to its list for readers with the right. */
export function FleetCards({ data }: { data: Dashboard }) {
  const { t } = useLingui()
  const may = useMay()
  const devices = may('devices:list')
    ? (search: SearchOf<'listDevices'>): LinkTarget => ({ to: '/dashboard/devices', search })
    : undefined
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <DevicesCard counts={data.devices} devices={devices} />
      <UsersCard counts={data.device_users} />
      <Distribution
        title={t`App versions`}
        rows={data.app_versions}
        getList={devices && ((app_version) => devices({ app_version, states: ['activated', 'pending'] }))}
      />
      <Distribution
        title={t`OS versions`}
        rows={data.os_versions}
        getList={devices && ((os_version) => devices({ os_version, states: ['activated', 'pending'] }))}
      />
    </SimpleGrid>
  )
}

function DevicesCard({
  counts,
  devices,
}: {
  counts: Dashboard['devices']
  devices: ((search: SearchOf<'listDevices'>) => LinkTarget) | undefined
}) {
  const { t } = useLingui()
  return (
    <CountCard
      icon="device"
      title={t`Devices`}
      counts={[
        {
          label: t`Activated`,
          count: counts.activated,
          color: 'teal',
          to: devices?.({ states: ['activated'], is_legacy: false }),
        },
        {
          label: t`Pending`,
          count: counts.pending,
          color: 'yellow',
          to: devices?.({ states: ['pending'], is_legacy: false }),
        },
        {
          label: t`Deactivated`,
          count: counts.deactivated,
          color: 'gray.6',
          to: devices?.({ states: ['deactivated', 'blocked'], is_legacy: false }),
        },
        {
          label: t`Legacy, activated`,
          count: counts.legacyActivated,
          color: 'indigo',
          to: devices?.({ states: ['activated', 'pending'], is_legacy: true }),
        },
        {
          label: t`Legacy, deactivated`,
          count: counts.legacyDeactivated,
          color: 'gray.6',
          to: devices?.({ states: ['deactivated', 'blocked'], is_legacy: true }),
        },
      ]}
    />
  )
}

function UsersCard({ counts }: { counts: Dashboard['device_users'] }) {
  const { t } = useLingui()
  const users = useMay()('users:list')
    ? (search: SearchOf<'listDeviceUsers'>): LinkTarget => ({ to: '/dashboard/devices/users', search })
    : undefined
  return (
    <CountCard
      icon="group"
      title={t`Device users`}
      counts={[
        {
          label: t`Onboarded`,
          count: counts.onboarded,
          color: 'teal',
          to: users?.({ is_active: true, is_legacy: false }),
        },
        {
          label: t`Offboarded`,
          count: counts.offboarded,
          color: 'gray.6',
          to: users?.({ is_active: false, is_legacy: false }),
        },
        {
          label: t`Legacy, onboarded`,
          count: counts.legacyOnboarded,
          color: 'indigo',
          to: users?.({ is_active: true, is_legacy: true }),
        },
        {
          label: t`Legacy, offboarded`,
          count: counts.legacyOffboarded,
          color: 'gray.6',
          to: users?.({ is_active: false, is_legacy: true }),
        },
      ]}
    />
  )
}

/** Rows shown before "all versions". */
const SHORT = 6

/** Devices per version, most frequent first. */
function Distribution({
  title,
  rows,
  getList,
}: {
  title: string
  /** Devices of a version; absent without the right to list them. */
  getList: ((version: string) => LinkTarget) | undefined
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
            to: getList?.(version),
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

interface CountRow {
  label: string
  count: number
  color: string
  to?: LinkTarget | undefined
}

/** A total and its parts. */
function CountCard({ icon, title, counts }: { icon: IconName; title: string; counts: readonly CountRow[] }) {
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
