import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/**
 * A list of terms and values; renders nothing without values.
 * @param isPart the title is a heading of the page; otherwise a small heading of a preview
 */
export const Facts = (props: { title?: string; isPart?: boolean; children: ReactNode }) => (
  <section className={classes.section}>
    {props.isPart ? (
      <Title order={2} size="h4" mb={6}>
        {props.title}
      </Title>
    ) : (
      props.title !== undefined && <h3 className={classes.title}>{props.title}</h3>
    )}
    <dl className={classes.facts}>{props.children}</dl>
  </section>
)

/** One term; hidden without a value. */
export const Fact = ({ label, children }: { label: ReactNode; children: ReactNode }) =>
  children === undefined || children === null || children === '' || children === false ? null : (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
