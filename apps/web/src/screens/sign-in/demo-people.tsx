import type { Demo, DemoPerson, Locale } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../ui/icon.tsx'
import classes from './sign-in.module.css'

/** One-click users of an installation with the demo identity provider, and what each sees. */
export function DemoPeople({
  demo,
  disabled,
  onChoose,
}: {
  demo: Demo
  disabled: boolean
  onChoose: (person: DemoPerson) => void
}) {
  const { i18n } = useLingui()
  const clients = Map.groupBy(demo.data, ({ client }) => client)
  return (
    <section className={classes.demo} aria-labelledby="demo-title">
      <Title order={2} id="demo-title">
        <Trans>Try the portal as</Trans>
      </Title>
      <Text size="sm" c="dimmed" mt={2}>
        <Trans>This demo contains invented recordings. One click signs you in.</Trans>
      </Text>
      {[...clients].map(([client, people]) => (
        <section key={client} aria-labelledby={`demo-${client}`}>
          <h3 className={classes.company} id={`demo-${client}`}>
            {people[0]?.client_name} <Code>{client}</Code>
          </h3>
          {people.map((person) => (
            <button
              key={person.user_reference}
              type="button"
              className={classes.person}
              disabled={disabled}
              onClick={() => onChoose(person)}
            >
              <span>
                <strong>{person.user_reference}</strong>
                <span>{person.description[i18n.locale as Locale]}</span>
              </span>
              <Icon name="chevron-right" size={16} />
            </button>
          ))}
        </section>
      ))}
      <Text size="xs" c="dimmed" mt="sm">
        <Trans>
          To type it: each password is the name followed by <Code>-demo</Code>. Choosing a person accepts the{' '}
          <Link to="/terms">terms</Link> in their name.
        </Trans>
      </Text>
    </section>
  )
}
