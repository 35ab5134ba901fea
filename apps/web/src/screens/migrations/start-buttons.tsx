import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { noticeFailure } from '../../api/notices.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { PageAct } from '../../ui/page-act.tsx'

/** Starts a run over the drop folder and opens its page. */
function useStart() {
  const navigate = useNavigate()
  return async (is_dry_run: boolean) => {
    const { migration_reference } = await migrationsApi.createMigration({ query: {}, body: { is_dry_run } })
    await navigate({
      to: '/dashboard/account/migrations/$migration_reference',
      params: { migration_reference },
    })
  }
}

interface ButtonState {
  isPrimary?: boolean
  isDisabled?: boolean
}

/** Starts a dry run at once: it changes nothing. */
export function DryRunButton({ isPrimary = false, isDisabled = false }: ButtonState) {
  const { t } = useLingui()
  const start = useStart()
  if (!useMay()('migrations:create')) return null
  return (
    <PageAct
      icon="eye"
      label={t`Dry run`}
      variant={isPrimary ? 'filled' : 'default'}
      isDisabled={isDisabled}
      onClick={() => void start(true).catch(noticeFailure)}
    />
  )
}

/** Imports the files in the drop folder, after a question. */
export function ImportButton({ isPrimary = false, isDisabled = false }: ButtonState) {
  const { t } = useLingui()
  const start = useStart()
  return (
    <ActButton
      action="migrations:create"
      icon="upload"
      label={t({ context: 'migration', message: 'Import' })}
      question={t`Import the files in the drop folder?`}
      done={t`Import started`}
      variant={isPrimary ? 'filled' : 'default'}
      isDisabled={isDisabled}
      onAct={() => start(false)}
    >
      <Text size="sm">
        <Trans>
          This imports groups, people, devices and recordings, which cannot be removed together. Earlier
          imports are not repeated.
        </Trans>
      </Text>
    </ActButton>
  )
}
