import { Trans } from '@lingui/react/macro'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useFailureText } from '../api/failure-text.ts'
import { Icon } from './icon.tsx'

/** Stands in for content that could not be loaded: the cause in the reader's language and a way to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const failureText = useFailureText()
  return (
    <Alert
      color="red"
      icon={<Icon name="alert-circle" />}
      title={<Trans>An error occurred</Trans>}
      role="alert"
      my="md"
    >
      <Group justify="space-between" gap="md">
        {/* A cause may quote data without a single space. */}
        <Text flex="1 1 12rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
          {failureText(error)}
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
