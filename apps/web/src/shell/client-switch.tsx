import { lazy, Suspense, useState } from 'react'
import type { Area } from './area.ts'
import { ClientButton } from './client-button.tsx'

const ClientSwitchMenu = lazy(() => import('./client-switch-menu.tsx'))

/** For staff: where they are, and where else they may go. The menu loads when it is first wanted and opens at once. */
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
