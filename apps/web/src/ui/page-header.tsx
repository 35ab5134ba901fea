import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { PageTabLinks } from './page-tabs.tsx'
import { useTitle } from './use-title.ts'

/**
 * The head of every page: the one `<h1>`, which takes the focus after a navigation and names the document, with an
 * optional line below, actions at the right, and the tabs of the page.
 */
export function PageHeader(props: {
  title: string
  /** Shown beside the title, e.g. a count or a state. */
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
