import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Icon } from '../../ui/icon.tsx'
import classes from './payload.module.css'

/** Sealed metadata as the device sent it, and the full archive record. */
export default function MetadataView({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const { meta, ...record } = payload
  return (
    <Stack gap="lg">
      {meta === null ? (
        <Text c="dimmed">
          <Trans>The metadata stays sealed until the upload is checked.</Trans>
        </Text>
      ) : (
        <Json title={t`Sealed by the phone`} value={meta} />
      )}
      <Json title={t`Archive record`} value={record} />
    </Stack>
  )
}

function Json({ title, value }: { title: string; value: object }) {
  const { t } = useLingui()
  const clipboard = useClipboard({ timeout: 1_500 })
  const text = JSON.stringify(value, null, 2)
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={6}>
        <Text fw={600}>{title}</Text>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={14} />}
          aria-label={clipboard.copied ? t`Copied` : t`Copy ${title}`}
          onClick={() => clipboard.copy(text)}
        >
          {clipboard.copied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
        </Button>
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard */}
      <pre className={classes.json} tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  )
}
