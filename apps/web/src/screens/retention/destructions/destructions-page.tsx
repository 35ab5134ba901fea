import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { PageHeader } from '../../../ui/page-header.tsx'
import Certificates from '../certificates.tsx'
import Destructions, { useAreDestructionsLoaded } from './destructions.tsx'

const CertificatePage = lazy(() => import('../certificate-page.tsx'))
const DestructionPage = lazy(() => import('./destruction-page.tsx'))

const route = getRouteApi('/dashboard/governance/destructions')

/** `/dashboard/governance/destructions`: pending lists and certificates; `?destruction=` and `?certificate=` show one. */
export default function DestructionsPage() {
  const { t } = useLingui()
  const { certificate, destruction } = route.useSearch()
  if (certificate !== undefined || destruction !== undefined)
    return (
      <Suspense>
        {destruction === undefined ? (
          <CertificatePage reference={String(certificate)} />
        ) : (
          <DestructionPage reference={String(destruction)} />
        )}
      </Suspense>
    )
  return (
    <>
      <PageHeader title={t`Destructions`} />
      <Destructions />
      <CertificatesBelow />
    </>
  )
}

/** The certificates, which appear once they no longer move. */
function CertificatesBelow() {
  const isLoaded = useAreDestructionsLoaded()
  return (
    <div style={{ visibility: isLoaded ? undefined : 'hidden' }}>
      <Certificates />
    </div>
  )
}
