import { Trans } from '@lingui/react/macro'
import { Container, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTitle } from '../../ui/use-title.ts'
import classes from './legal-page.module.css'

/** A text page: title, date, numbered sections. */
export function LegalPage({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  return (
    <Container size={720} py={48} className={classes.page}>
      <Title order={1} tabIndex={-1} className={classes.title}>
        {title}
      </Title>
      <Text c="dimmed" mb="xl">
        <Trans>Version of November 2026</Trans>
      </Text>
      {children}
    </Container>
  )
}

/** One section of a text page. */
export const LegalSection = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <section className={classes.section}>
    <Title order={2} mb="xs">
      {title}
    </Title>
    {children}
  </section>
)
