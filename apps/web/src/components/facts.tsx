import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** A titled list of terms and what is known about them. */
export const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className={classes.title}>{title}</h3>
    <dl className={classes.facts}>{children}</dl>
  </section>
)

/** One term; without a value it is left out. */
export const Fact = ({ label, children }: { label: string; children: ReactNode }) =>
  children === undefined || children === null || children === '' ? null : (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
