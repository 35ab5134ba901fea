import { Trans } from '@lingui/react/macro'
import { Alert, Button, Group, Text } from '@mantine/core'
import { Icon } from './icon.tsx'

/** Stands in for content that could not be loaded, with a way to try again. The cause is told at the bottom of the screen, once. */
export function ErrorState({ onRetry }: { onRetry?: () => void }) {
  return (
    <Alert color="red" icon={<Icon name="alert-circle" />} role="alert" my="md">
      <Group justify="space-between" gap="md">
        <Text flex="1 1 12rem" miw={0}>
          <Trans>Loading failed. Try again.</Trans>
        </Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            <Trans>Retry</Trans>
          </Button>
        )}
      </Group>
    </Alert>
  )
}
