import { Card, type CardProps, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: ReactNode
  children: ReactNode
}

/** A part of a page under a title. */
export const Section = ({ title, children }: SectionProps) => (
  <section>
    <Title order={2} size="h4" mb="xs">
      {title}
    </Title>
    {children}
  </section>
)

/** A part of a page under a title, as a card that the title names. */
export function CardSection({ title, children, ...card }: SectionProps & Omit<CardProps, 'title'>) {
  const id = useId()
  return (
    <Card component="section" aria-labelledby={id} {...card}>
      <Title order={2} size="h4" id={id} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  )
}
