import type { AccountMetadata } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Code, Text } from '@mantine/core'
import classes from './sign-in.module.css'

/** Whom one can sign in as, on an installation that runs with its demo identity provider. */
export function DemoPeople({ people }: { people: AccountMetadata['demo_people'] }) {
  if (people.length === 0) return null
  return (
    <section className={classes.demo}>
      <Text size="sm" fw={650}>
        <Trans>This is a demo. Sign in as:</Trans>
      </Text>
      <ul className={classes.people}>
        {people.map((person) => (
          <li key={person.user_reference}>
            <Code>{person.user_reference}</Code> <span>{person.description}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
