import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Paper } from '@mantine/core'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** A page that exists but is closed to this user: it names the permission, so that the user can ask for it. */
export function MissingPermission({ action }: { action: string }) {
  const { t } = useLingui()
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
