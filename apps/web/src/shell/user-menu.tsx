import { lazy, Suspense, useState } from 'react'
import { UserButton } from './user-button.tsx'

const UserMenuDropdown = lazy(() => import('./user-menu-dropdown.tsx'))

/** User menu. It loads on first use and opens at once. */
export function UserMenu(props: { onMyAccess: () => void; onShortcuts: () => void }) {
  const [wanted, setWanted] = useState(false)
  const closed = <UserButton onClick={() => setWanted(true)} aria-haspopup="menu" aria-expanded={false} />
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <UserMenuDropdown {...props} />
    </Suspense>
  )
}
