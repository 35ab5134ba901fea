import { type DeviceUser, USER_TABS } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Box, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { HeldBadge } from '../../components/cells.tsx'
import { listTab, RecordPage, RecordTabs } from '../../components/record-page.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { fullName, userQuery, UserState } from './user.tsx'

const Buttons = lazy(() => import('./user-buttons.tsx'))
const Acts = lazy(async () => ({ default: (await import('./user-buttons.tsx')).UserActs }))
const Overview = lazy(() => import('./user-overview.tsx'))
const Recordings = listTab(async () => (await import('../payloads/payloads-of.ts')).payloadsOfUser)
const Capture = lazy(async () => ({
  default: (await import('../capture/capture-pages.tsx')).CaptureOfUser,
}))
const Logs = listTab(async () => (await import('../device-logs/log-lists.tsx')).logsOfUser)
const Track = lazy(async () => ({ default: (await import('../positions/track-view.tsx')).TrackView }))
const UserDrawer = lazy(() => import('./user-drawer.tsx'))
const route = getRouteApi('/dashboard/devices/users/$device_user_reference')

/** `/dashboard/devices/users/{device_user_reference}`: facts and devices of a person; `?tab=` shows recordings, logs and others. */
export function UserPage({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <RecordPage
      query={useQuery(userQuery(reference))}
      title={t`Device user`}
      back={{ to: '/dashboard/devices/users' }}
      backLabel={t`All device users`}
    >
      {(user) => <UserTabs user={user} />}
    </RecordPage>
  )
}

function UserTabs({ user }: { user: DeviceUser }) {
  const navigate = useNavigate()
  const { tab, edit } = route.useSearch()
  const reference = user.device_user_reference
  const at = userAt(reference)
  const head = <Head user={user} />
  const list = { reference, head }
  return (
    <>
      <RecordTabs
        label={msg`Device user`}
        at={at}
        shown={tab}
        head={head}
        overview={<Overview user={user} head={head} />}
        tabs={[
          {
            tab: 'recordings',
            label: msg`Recordings`,
            action: USER_TABS.recordings,
            page: <Recordings {...list} />,
          },
          {
            tab: 'capture',
            label: msg`Capture`,
            action: USER_TABS.capture,
            page: <Capture user={user} head={head} />,
          },
          { tab: 'logs', label: msg`Logs`, action: USER_TABS.logs, page: <Logs {...list} /> },
          {
            tab: 'gps',
            label: msg`Positions`,
            action: USER_TABS.gps,
            page: (
              <Track
                whose={{ device_user_reference: reference }}
                holder={user}
                name={`gps-${reference}`}
                head={head}
              />
            ),
          },
        ]}
      />
      <Suspense>
        {edit && (
          <UserDrawer
            recordKey={reference}
            onClose={() => void navigate({ ...at, search: {}, resetScroll: false })}
          />
        )}
      </Suspense>
    </>
  )
}

function Head({ user }: { user: DeviceUser }) {
  return (
    <PageHeader
      title={visible(fullName(user))}
      aside={
        <Group gap="xs">
          <UserState user={user} />
          <HeldBadge is_held={user.is_held} />
        </Group>
      }
      description={
        <Group gap="4px 16px">
          <span>{user.group}</span>
          {user.device_user_reference !== fullName(user) && (
            <Reference value={user.device_user_reference} length={28} />
          )}
        </Group>
      }
      actions={
        // Reserved height: content below does not move. The menu's code comes with the actions.
        <Suspense fallback={<Box h={36} />}>
          <Buttons user={user} />
          <Acts user={user} />
        </Suspense>
      }
    />
  )
}

const userAt = (device_user_reference: string) =>
  ({ to: '/dashboard/devices/users/$device_user_reference', params: { device_user_reference } }) as const
