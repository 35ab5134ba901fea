import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { PageTabLinks } from './page-tabs.tsx'
import { useTitle } from './use-title.ts'

/** Page header: the `<h1>`, which gets the focus after navigation and sets the document title, with subtitle, actions and tabs. */
export function PageHeader(props: {
  title: string
  /** After the title, e.g. a count or a state. */
  aside?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}) {
  useTitle(props.title)
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="md" mb="md">
        <Box>
          <Group gap="sm" align="baseline">
            <Title order={1} tabIndex={-1}>
              {props.title}
            </Title>
            {props.aside}
          </Group>
          {props.description !== undefined && (
            <Text c="dimmed" mt={4} component="div">
              {props.description}
            </Text>
          )}
        </Box>
        {props.actions !== undefined && <Group gap="xs">{props.actions}</Group>}
      </Group>
      <PageTabLinks />
    </>
  )
}
