import { Trans } from '@lingui/react/macro'
import { Alert, Button, Group, Text } from '@mantine/core'
import { Icon } from './icon.tsx'

/** Error in place of content, with Retry. The cause is shown once, at the bottom of the screen. */
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
