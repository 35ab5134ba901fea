import type { DeviceUser } from '@custodia/contract'
import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../lists/list-page.tsx'
import { CaptureNow } from './capture-now.tsx'
import { gaps, gapsOfUser } from './gap-lists.tsx'

/** `/dashboard/devices?tab=capture`: when what is ordered of people was not recorded. */
export const Capture = () => <ListPage list={gaps} />

/** The same of one person, below what is recorded of them now. */
export function CaptureOfUser({ user, head }: { user: DeviceUser; head: ReactNode }) {
  const list = useMemo(() => gapsOfUser(user.device_user_reference), [user.device_user_reference])
  return (
    <ListPage
      list={list}
      head={
        <>
          {head}
          <CaptureNow user={user} />
        </>
      }
    />
  )
}
