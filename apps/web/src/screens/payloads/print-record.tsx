import { Trans } from '@lingui/react/macro'
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { useMay } from '../../api/use-profile.ts'
import classes from '../../components/print/print.module.css'
import { AuditTimeline } from './audit-timeline.tsx'
import { auditQuery } from './queries.ts'

/** Prints the page of a recording with its audit log, whichever tab is open. */
export default function PrintRecord({ reference, onDone }: { reference: string; onDone: () => void }) {
  const mayAudit = useMay()('payloads.audit:read')
  const { isPending } = useQuery({ ...auditQuery(reference), enabled: mayAudit })
  const isReady = !mayAudit || !isPending
  useEffect(() => {
    if (!isReady) return
    addEventListener('afterprint', onDone)
    // The audit log is painted first.
    const frame = requestAnimationFrame(() => window.print())
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('afterprint', onDone)
    }
  }, [isReady, onDone])
  const main = document.getElementById('main')
  if (!mayAudit || main === null) return null
  return createPortal(
    <section data-print-only="record" className={classes.section}>
      <Title order={2} size="h4" mb="sm">
        <Trans>Audit</Trans>
      </Title>
      <AuditTimeline reference={reference} />
    </section>,
    main,
  )
}
