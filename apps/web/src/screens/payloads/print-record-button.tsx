import { lazy, Suspense, useState } from 'react'
import { PrintButton } from '../../components/print/print-button.tsx'

const PrintRecord = lazy(() => import('./print-record.tsx'))

/** Prints a recording as a document: facts and audit log. */
export function PrintRecordButton({ reference }: { reference: string }) {
  const [isPrinting, setPrinting] = useState(false)
  return (
    <>
      <PrintButton loading={isPrinting} onClick={() => setPrinting(true)} />
      {isPrinting && (
        <Suspense>
          <PrintRecord reference={reference} onDone={() => setPrinting(false)} />
        </Suspense>
      )}
    </>
  )
}
