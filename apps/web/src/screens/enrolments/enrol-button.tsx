import type { DeviceUser } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'

const EnrolDialog = lazy(() => import('./enrol-dialog.tsx'))

/** Creates an enrolment for a person's phone or a roll-out, for permitted users. */
export function EnrolButton({ user }: { user: DeviceUser | null }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <MayButton
        action={user ? 'users.enrolments:create' : 'devices.enrolments:create'}
        variant={user ? 'default' : 'filled'}
        leftSection={<Icon name="qr" size={16} />}
        onClick={() => setOpen(true)}
      >
        {user ? <Trans>Enrol a phone</Trans> : <Trans>Enrol phones in bulk</Trans>}
      </MayButton>
      <Suspense>{isOpen && <EnrolDialog user={user} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
