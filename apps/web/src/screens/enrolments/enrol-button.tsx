import type { DeviceUser } from '@custodia/contract'
import { Plural, Trans } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'

const EnrolMany = lazy(() => withTexts('lazy', import('./enrol-many.tsx')))
const EnrolDialog = lazy(() => withTexts('lazy', import('./enrol-dialog.tsx')))

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

/** Enrols a phone of each of these people, for permitted users. */
export function EnrolManyButton({ keys, onDone }: { keys: readonly string[]; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <MayButton
        action="users.enrolments:create"
        size="xs"
        leftSection={<Icon name="qr" size={15} />}
        onClick={() => setOpen(true)}
      >
        <Plural value={keys.length} one="Enrol # person…" other="Enrol # people…" />
      </MayButton>
      <Suspense>
        {isOpen && (
          <EnrolMany
            keys={keys}
            onClose={close}
            onDone={() => {
              close()
              onDone()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
