import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useFailureText } from '../../../api/failure-text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { DataRefusal } from '../data-address.ts'
import { REFUSALS } from '../refusals.tsx'
import { MediaFailure } from './playback.ts'

/** Playback error with Retry. */
export function PlaybackFailure({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { i18n } = useLingui()
  const failureText = useFailureText()
  return (
    <Alert
      color="red"
      icon={<Icon name="alert-circle" />}
      title={<Trans>The recording cannot be played</Trans>}
      role="alert"
    >
      <Group justify="space-between" gap="md">
        <Text flex="1 1 240px">
          {failure instanceof DataRefusal ? (
            i18n._(REFUSALS[failure.status])
          ) : failure instanceof MediaFailure ? (
            <MediaFailureText code={failure.code} />
          ) : (
            failureText(failure)
          )}
        </Text>
        <Button size="xs" variant="outline" color="red" onClick={onRetry}>
          <Trans>Retry</Trans>
        </Button>
      </Group>
    </Alert>
  )
}

function MediaFailureText({ code }: { code: number | undefined }) {
  if (code === 2) return <Trans>The connection was interrupted. Check your network and try again.</Trans>
  return <Trans>The browser cannot decode this recording. Download the original.</Trans>
}
