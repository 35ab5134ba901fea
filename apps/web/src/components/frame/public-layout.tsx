import { Trans, useLingui } from '@lingui/react/macro'
import { Container, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { session } from '../../api/current-session.ts'
import { getHome } from '../../api/sign-in-memory.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Brand, ColourModeSwitch, LanguageSwitch, SkipLink } from './frame-parts.tsx'
import classes from './frame.module.css'

/** Layout of public pages. */
export function PublicLayout({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className={classes.layout}>
      <SkipLink />
      <header className={classes.header}>
        <Container size="lg" h="100%">
          <Group h="100%" justify="space-between" wrap="nowrap">
            <Brand to="/" />
            <Group gap={4} wrap="nowrap">
              <LanguageSwitch />
              <ColourModeSwitch />
              <span className={classes.enter}>
                <EnterButton />
              </span>
            </Group>
          </Group>
        </Container>
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <footer className={classes.footer}>
        <Container size="lg">
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              <Trans>Custodia is free software under the Apache License 2.0.</Trans>
            </Text>
            <nav aria-label={t`Information`}>
              <Group gap="lg" className={classes.links}>
                <Link to="/verify">
                  <Trans>Verify evidence</Trans>
                </Link>
                <Link to="/cookies">
                  <Trans>Cookies</Trans>
                </Link>
                <Link to="/privacy">
                  <Trans>Privacy</Trans>
                </Link>
                <Link to="/terms">
                  <Trans>Terms</Trans>
                </Link>
              </Group>
            </nav>
          </Group>
        </Container>
      </footer>
    </div>
  )
}

/** Link to the sign-in, or to the dashboard for signed-in users. */
export function EnterButton({ size = 'sm' }: { size?: 'sm' | 'lg' }) {
  const signedIn = session.isSignedIn()
  const inside = getHome({ client: session.client(), support: session.supportReference() })
  return (
    <LinkButton size={size} to={signedIn ? inside : '/sign-in'}>
      {signedIn ? <Trans>Dashboard</Trans> : <Trans>Sign in</Trans>}
    </LinkButton>
  )
}
