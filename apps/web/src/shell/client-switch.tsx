import { lazy, Suspense, useState } from 'react'
import type { Area } from './area.ts'
import { ClientButton } from './client-button.tsx'

const ClientSwitchMenu = lazy(() => import('./client-switch-menu.tsx'))

/** Client switch for staff. The menu loads on first use and opens at once. */
export function ClientSwitch({ area }: { area: Area }) {
  const [wanted, setWanted] = useState(false)
  const closed = <ClientButton onClick={() => setWanted(true)} aria-haspopup="menu" aria-expanded={false} />
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <ClientSwitchMenu area={area} />
    </Suspense>
  )
}
