import { Center, Stack, Text, ThemeIcon } from '@mantine/core'
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
