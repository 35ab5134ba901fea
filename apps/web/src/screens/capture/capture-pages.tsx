import type { DeviceUser } from '@custodia/contract'
import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { CaptureNow } from './capture-now.tsx'
import { gaps, gapsOfUser } from './gap-lists.tsx'

/** `/dashboard/devices?tab=capture`: capture gaps of all device users. */
export const Capture = () => <ListPage list={gaps} />

/** Capture gaps of one person, below the current state. */
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
