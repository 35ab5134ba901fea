import { Trans } from '@lingui/react/macro'
import { Box, Group, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, useContext } from 'react'
import { session } from '../api/current-session.ts'
import { LinkButton } from '../ui/links.tsx'
import { useTitle } from '../ui/use-title.ts'
import classes from './status-page.module.css'

/** Whether the navigation surrounds the content. */
export const InShell = createContext(false)

/** Layout of error pages: content inside the shell, a whole page outside. */
export function StatusPage(props: {
  /** Shown large; absent without a fitting status. */
  status: string | undefined
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  useTitle(props.title)
  const inShell = useContext(InShell)
  const home = session.isAdmin() ? '/internal' : '/dashboard'
  return (
    <Box component={inShell ? 'div' : 'main'} className={classes.page}>
      {props.status !== undefined && (
        <Text className={classes.status} aria-hidden>
          {props.status}
        </Text>
      )}
      <Title order={1} tabIndex={-1}>
        {props.title}
      </Title>
      <Text c="dimmed" mt="xs" className={classes.text}>
        {props.children}
      </Text>
      <Group mt="lg" justify="center">
        {props.action}
        <LinkButton variant="default" to={inShell ? home : '/'}>
          {inShell ? <Trans>Go to Home</Trans> : <Trans>Go to the start page</Trans>}
        </LinkButton>
      </Group>
    </Box>
  )
}
