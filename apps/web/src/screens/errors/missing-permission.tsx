import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Paper } from '@mantine/core'
import { useProfile } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/**
 * A page that exists but is closed to this user: it names the permission, so that the user can ask for it. Who has no
 * role at all is told that instead.
 */
export function MissingPermission({ action }: { action: string }) {
  const { t } = useLingui()
  const { roles } = useProfile()
  if (roles.length === 0)
    return (
      <>
        <PageHeader title={t`No roles yet`} />
        <Paper>
          <EmptyState
            icon="lock"
            title={t`Nothing is open to you yet`}
            description={<Trans>An administrator of your account can give you a role.</Trans>}
          />
        </Paper>
      </>
    )
  return (
    <>
      <PageHeader title={t`Permission missing`} />
      <Paper>
        <EmptyState
          icon="lock"
          title={t`Your roles do not open this page`}
          description={
            <Trans>
              It needs the permission <Code>{action}</Code>. An administrator of your account can add it to
              one of your roles.
            </Trans>
          }
        />
      </Paper>
    </>
  )
}
