import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { PageAct } from '../../ui/page-act.tsx'
import type { HoldSubject } from './hold-dialog.tsx'

const HoldDialog = lazy(() => withTexts('lazy', import('./hold-dialog.tsx')))

/** "Place on legal hold" on a page about a person; the dialog loads with the click. */
export function HoldAct({ subject }: { subject: HoldSubject }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  if (!useMay()('account.legal_holds:update')) return null
  return (
    <>
      <PageAct icon="lock" label={t`Place on legal hold`} onClick={() => setOpen(true)} />
      <Suspense>{isOpen && <HoldDialog subject={subject} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
