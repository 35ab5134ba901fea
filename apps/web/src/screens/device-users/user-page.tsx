import type { DeviceUser } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Paper, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { logsOfUser } from '../../components/devices/log-lists.ts'
import { EnrolButton } from '../../components/enrolments/enrol-button.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadsOfUser } from '../../components/payloads/payloads-of.ts'
import { RecordPage } from '../../components/record-page.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { fullName } from './full-name.ts'
import { OnboardButton } from './onboard-button.tsx'
import { PhoneQueue } from './phone-queue.tsx'
import { UserDevices } from './user-devices.tsx'
import { UserEnrolments } from './user-enrolments.tsx'
import { UserFacts } from './user-facts.tsx'
import { UserNumbers } from './user-numbers.tsx'
import { userQuery } from './user-query.ts'
import { UserState } from './user-state.tsx'

const UserDrawer = lazy(() => import('./user-drawer.tsx'))
const route = getRouteApi('/dashboard/devices/users/$device_user_reference')

/** `/dashboard/devices/users/{device_user_reference}`: what is known of somebody, their phones, and with `?tab=` what those recorded and logged. */
export function UserPage({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <RecordPage
      query={useQuery(userQuery(reference))}
      title={t`Device user`}
      back={{ to: '/dashboard/devices/users' }}
      backLabel={t`To the device users`}
      notFound={
        <Trans>There is no device user {reference}, or your roles and groups do not reach them.</Trans>
      }
    >
      {(user) => <Shown user={user} />}
    </RecordPage>
  )
}

function Shown({ user }: { user: DeviceUser }) {
  const may = useMay()
  const navigate = useNavigate()
  const { tab, edit } = route.useSearch()
  const { device_user_reference } = user
  const recordings = useMemo(() => payloadsOfUser(device_user_reference), [device_user_reference])
  const logs = useMemo(() => logsOfUser(device_user_reference), [device_user_reference])
  const lists = [
    ...(may('users.payloads:list') ? [{ tab: 'recordings', label: msg`Recordings` } as const] : []),
    ...(may('users.logs:list') ? [{ tab: 'logs', label: msg`Logs` } as const] : []),
  ]
  const shown = lists.find((each) => each.tab === tab)?.tab
  const place = {
    to: '/dashboard/devices/users/$device_user_reference',
    params: { device_user_reference },
  } as const
  const head = (
    <PageHeader
      title={visible(fullName(user))}
      aside={<UserState user={user} />}
      description={
        <Group gap="4px 16px">
          <span>{user.group}</span>
          <Reference value={device_user_reference} length={28} />
        </Group>
      }
      actions={
        <>
          {user.is_active && may('users.enrolments:create') && <EnrolButton user={user} />}
          {may('users:update') && (
            <>
              <OnboardButton user={user} />
              <Button
                leftSection={<Icon name="pencil" size={16} />}
                renderRoot={(props) => <Link {...props} {...place} search={{ edit: true }} />}
              >
                <Trans>Edit</Trans>
              </Button>
            </>
          )}
        </>
      }
    />
  )
  return (
    <PageTabs
      label={msg`Device user`}
      tabs={(lists.length === 0 ? [] : [{ tab: undefined, label: msg`Overview` }, ...lists]).map((each) => ({
        ...place,
        search: each.tab ? { tab: each.tab } : {},
        label: each.label,
        isShown: shown === each.tab,
      }))}
    >
      {shown === 'recordings' ? (
        <ListPage list={recordings} head={head} />
      ) : shown === 'logs' ? (
        <ListPage list={logs} head={head} />
      ) : (
        <>
          {head}
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <Paper p="md">
              <Stack gap="lg">
                <UserFacts user={user} isPart />
              </Stack>
            </Paper>
            <Stack gap="lg">
              {may('users.devices:list') && (
                <Paper p="md">
                  <Stack gap="md">
                    <UserDevices user={user} />
                    {!user.is_active && may('users.queue:read') && (
                      <PhoneQueue device_user_reference={device_user_reference} />
                    )}
                    {may('devices.enrolments:list') && <UserEnrolments user={user} />}
                  </Stack>
                </Paper>
              )}
              {may('users.numbers:read') && (
                <Paper p="md">
                  <UserNumbers device_user_reference={device_user_reference} />
                </Paper>
              )}
            </Stack>
          </SimpleGrid>
        </>
      )}
      <Suspense>
        {edit && (
          <UserDrawer
            recordKey={device_user_reference}
            onClose={() => void navigate({ ...place, search: {}, resetScroll: false })}
          />
        )}
      </Suspense>
    </PageTabs>
  )
}
