import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { migrationsApi } from '../../api/migrations-api.ts'
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
        question={t`Begin a dry run?`}
        done={t`The dry run has begun`}
        onAct={() => start(true)}
      >
        <Text size="sm">
          <Trans>
            The files in the drop folder are read and checked as a run does it. Nothing is imported; only the
            results are kept.
          </Trans>
        </Text>
      </ActButton>
      <ActButton
        action="migrations:create"
        icon="upload"
        label={t({ context: 'migration', message: 'Import' })}
        question={t`Import the files in the drop folder?`}
        done={t`The import has begun`}
        isDangerous
        onAct={() => start(false)}
      >
        <Text size="sm">
          <Trans>
            Groups, people, devices and recordings come into the account, and cannot be taken out of it at
            once. A dry run before tells what will be done. What was imported before is not imported twice.
          </Trans>
        </Text>
      </ActButton>
    </Group>
  )
}
