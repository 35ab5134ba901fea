import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { noteExport } from '../../api/reasons.ts'
import { useMay } from '../../api/use-profile.ts'
import { AuditTimeline } from './audit-timeline.tsx'
import { auditQuery } from './queries.ts'
import classes from '../../components/print/print.module.css'

/** Prints the page of a recording with its audit log, whichever tab is open. */
export default function PrintRecord({ payload, onDone }: { payload: Payload; onDone: () => void }) {
  const reference = payload.payload_reference
  const mayAudit = useMay()('payloads.audit:read')
  const { isPending } = useQuery({ ...auditQuery(reference), enabled: mayAudit })
  const isReady = !mayAudit || !isPending
  const noting = useRef<Promise<boolean>>(undefined)
  useEffect(() => {
    if (!isReady) return
    let frame = 0
    let isLeft = false
    addEventListener('afterprint', onDone)
    noting.current ??= noteExport({ list: 'readPayload', format: 'print', payload_reference: reference })
    void noting.current.then((isNoted) => {
      if (isLeft) return
      // The audit log is painted first.
      if (isNoted) frame = requestAnimationFrame(() => window.print())
      else onDone()
    })
    return () => {
      isLeft = true
      cancelAnimationFrame(frame)
      removeEventListener('afterprint', onDone)
    }
  }, [isReady, onDone, reference])
  const main = document.getElementById('main')
  if (!mayAudit || main === null) return null
  return createPortal(
    <section data-print-only="record" className={classes.section}>
      <Title order={2} size="h4" mb="sm">
        <Trans>Audit</Trans>
      </Title>
      <AuditTimeline payload={payload} />
    </section>,
    main,
  )
}
