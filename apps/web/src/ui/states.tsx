import { Trans } from '@lingui/react/macro'
import { Alert, Button, Center, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Empty state: what will appear here and why there is nothing yet. */
export function EmptyState(props: {
  icon?: IconName
  title: string
  description?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center py={56} px="md">
      <Stack align="center" gap="xs" maw={440} ta="center">
        <ThemeIcon size={48} radius="xl" variant="light">
          <Icon name={props.icon ?? 'archive'} size={24} />
        </ThemeIcon>
        <Text fw={650} size="lg">
          {props.title}
        </Text>
        {props.description !== undefined && (
          <Text c="dimmed" component="div">
            {props.description}
          </Text>
        )}
        {props.action}
      </Stack>
    </Center>
  )
}

/** Error in place of content, with Retry. The cause is shown once, at the bottom of the screen. */
export function ErrorState({ onRetry }: { onRetry?: () => void }) {
  return (
    <Alert color="red" icon={<Icon name="alert-circle" />} role="alert" my="md">
      <Group justify="space-between">
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
