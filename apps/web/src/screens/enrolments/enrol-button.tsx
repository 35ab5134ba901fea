import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { totalText } from '../../ui/text.ts'

const EnrolMany = lazy(() => withTexts('lazy', import('./enrol-many.tsx')))
const EnrolDialog = lazy(() => withTexts('lazy', import('./enrol-dialog.tsx')))

/** Creates an enrolment for a roll-out, for permitted users. */
export function EnrolButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <MayButton
        action="devices.enrolments:create"
        variant="filled"
        leftSection={<Icon name="qr" size={16} />}
        onClick={() => setOpen(true)}
      >
        <Trans>Enrol phones in bulk</Trans>
      </MayButton>
      <Suspense>{isOpen && <EnrolDialog user={null} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

/** Enrols a phone of each of these people, or of all that match the filters, for permitted users. */
export function EnrolManyButton({
  keys,
  matching,
  onDone,
}: {
  keys: readonly string[]
  matching?: MatchingRows | undefined
  onDone: () => void
}) {
  const { i18n } = useLingui()
  const total = matching?.total && totalText(matching.total, (count) => i18n.number(count))
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
        {matching ? (
          <Trans>Enrol all {total}…</Trans>
        ) : (
          <Plural value={keys.length} one="Enrol # person…" other="Enrol # people…" />
        )}
      </MayButton>
      <Suspense>
        {isOpen && (
          <EnrolMany
            keys={keys}
            matching={matching}
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
