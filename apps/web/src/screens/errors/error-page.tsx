import { ApiProblem } from '@custodia/client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useFailureText } from '../../api/failure-text.ts'
import { StatusPage } from '../../components/status-page.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Error page: one variant for missing pages, one for all else. */
export function ErrorPage({ error }: { error: unknown }) {
  const { t } = useLingui()
  const failureText = useFailureText()
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <StatusPage status="404" title={t`Page not found`}>
        <Trans>Page Not Found</Trans>
      </StatusPage>
    )
  }
  return (
    <StatusPage
      status={error instanceof ApiProblem ? String(error.status) : undefined}
      title={t`An error occurred`}
      action={
        <Button leftSection={<Icon name="refresh" size={16} />} onClick={() => location.reload()}>
          <Trans>Reload</Trans>
        </Button>
      }
    >
      {failureText(error)}
    </StatusPage>
  )
}

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
