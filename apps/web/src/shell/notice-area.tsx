import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense, useState } from 'react'
import { connectNotices } from '../api/notices.ts'
import { showNotice } from './show-notice.tsx'

connectNotices(showNotice)

const Notices = lazy(() => import('./notices.tsx'))

/** Notices. The code loads with the first one and stays mounted, so that the last one can fade out. */
export function NoticeArea() {
  const { notifications } = useNotifications()
  const [wanted, setWanted] = useState(false)
  if (!wanted && notifications.length > 0) setWanted(true)
  if (!wanted) return null
  return (
    <Suspense>
      <Notices />
    </Suspense>
  )
}
