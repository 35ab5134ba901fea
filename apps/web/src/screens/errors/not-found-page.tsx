import { Trans, useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import { StatusPage } from '../../components/status-page.tsx'

/** Unknown address. */
export function NotFoundPage() {
  const { t } = useLingui()
  const { pathname } = useLocation()
  return (
    <StatusPage status="404" title={t`Page not found`}>
      <Trans>Page Not Found: {pathname}</Trans>
    </StatusPage>
  )
}
