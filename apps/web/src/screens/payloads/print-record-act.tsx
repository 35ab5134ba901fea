import { withTexts } from '../../i18n/i18n.ts'
import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { PageAct } from '../../ui/page-act.tsx'

const PrintRecord = lazy(() => withTexts('lazy', import('./print-record.tsx')))

/** Prints a recording as a document: facts and audit log. */
export function PrintRecordAct({ reference }: { reference: string }) {
  const { t } = useLingui()
  const [isPrinting, setPrinting] = useState(false)
  return (
    <>
      <PageAct icon="print" label={t`Print`} onClick={() => setPrinting(true)} />
      {isPrinting && (
        <Suspense>
          <PrintRecord reference={reference} onDone={() => setPrinting(false)} />
        </Suspense>
      )}
    </>
  )
}
