import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { migrationsApi } from '../../api/transfers-api.ts'
import { ActButton } from '../../ui/act-button.tsx'

/** Starts a run or dry run over the drop folder and opens its page. */
export function StartButtons() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const start = async (is_dry_run: boolean) => {
    const { migration_reference } = await migrationsApi.createMigration({ query: {}, body: { is_dry_run } })
    await navigate({
      to: '/dashboard/account/migrations/$migration_reference',
      params: { migration_reference },
    })
  }
  return (
    <Group gap="xs">
      <ActButton
        action="migrations:create"
        icon="eye"
        label={t`Dry run`}
        question={t`Start a dry run?`}
        done={t`Dry run started`}
        onAct={() => start(true)}
      >
        <Text size="sm">
          <Trans>
            This reads and checks the files in the drop folder. It imports nothing and keeps the results.
          </Trans>
        </Text>
      </ActButton>
      <ActButton
        action="migrations:create"
        icon="upload"
        label={t({ context: 'migration', message: 'Import' })}
        question={t`Import the files in the drop folder?`}
        done={t`Import started`}
        isDangerous
        onAct={() => start(false)}
      >
        <Text size="sm">
          <Trans>
            This imports groups, people, devices and recordings, which cannot be removed together. Run a dry
            run first. Earlier imports are not repeated.
          </Trans>
        </Text>
      </ActButton>
    </Group>
  )
}
