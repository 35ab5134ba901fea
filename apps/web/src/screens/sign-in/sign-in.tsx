import type { Demo, DemoPerson, Locale } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Code, Group, Paper, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { session } from '../../api/current-session.ts'
import { useAccount, useDemo } from '../../api/public-facts.ts'
import { isSignInWindow, lastAccount } from '../../api/sign-in-memory.ts'
import type { ChosenPerson } from '../../api/sign-in.ts'
import { BrandMark, ColourModeSwitch, LanguageSwitch } from '../../components/frame/frame-parts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useTitle } from '../../ui/use-title.ts'
import classes from './sign-in.module.css'

const route = getRouteApi('/sign-in')
/** Debounce of the account field, in milliseconds. */
const TYPING_PAUSE_MS = 400

/** Chooses the account, then leaves for its identity provider. */
export function SignInScreen() {
  return isSignInWindow() && session.isSignedIn() ? <SignedIn /> : <SignIn />
}

/** The end of a window that was opened only to sign in. */
function SignedIn() {
  const { t } = useLingui()
  useTitle(t`Signed in`)
  useEffect(() => globalThis.close(), [])
  return (
    <main className={classes.main}>
      <Paper className={classes.card} radius="lg">
        <BrandMark size={44} />
        <Title order={1} tabIndex={-1} mt="md">
          <Trans>You are signed in</Trans>
        </Title>
        <Text mt={4}>
          <Trans>Close this window and continue in the other one.</Trans>
        </Text>
      </Paper>
    </main>
  )
}

function SignIn() {
  const { t } = useLingui()
  const demo = useDemo()
  const people = demo && demo.data.length > 0 ? demo : undefined
  useTitle(t`Sign in`)

  return (
    <div className={classes.page}>
      <Group justify="flex-end" gap={4} p="sm">
        <LanguageSwitch />
        <ColourModeSwitch />
      </Group>
      <main className={classes.main} data-wide={people && true}>
        {/* People of a demo that appear later would move the form. */}
        {demo !== undefined && <SignInCard demo={people} />}
      </main>
    </div>
  )
}

function SignInCard({ demo }: { demo: Demo | undefined }) {
  const signIn = useSignIn()
  return (
    <>
      <Paper className={classes.card} radius="lg">
        <BrandMark size={44} />
        <Title order={1} tabIndex={-1} mt="md">
          <Trans>Sign in to Custodia</Trans>
        </Title>
        <div className={classes.ways}>
          {demo && (
            <DemoPeople
              demo={demo}
              disabled={signIn.isLeaving}
              onChoose={({ client: its, user_reference }) =>
                void signIn.start(its, { user_reference, terms_version: demo.terms_version })
              }
            />
          )}
          <section>
            {demo && (
              <Title order={2}>
                <Trans>With an account</Trans>
              </Title>
            )}
            <Text c="dimmed" mt={4} mb="lg">
              <Trans>Your organisation’s sign-in page opens next.</Trans>
            </Text>
            <AccountForm signIn={signIn} />
          </section>
        </div>
      </Paper>
      <PublicLinks />
    </>
  )
}

function AccountForm({ signIn }: { signIn: ReturnType<typeof useSignIn> }) {
  const { t } = useLingui()
  const { client } = route.useSearch()
  const [account, setAccount] = useState(client ?? lastAccount())
  const [settled] = useDebouncedValue(account.trim(), TYPING_PAUSE_MS)
  const known = useAccount(settled)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (account.trim() !== '') void signIn.start(account.trim())
      }}
    >
      <TextInput
        size="md"
        label={t`Account`}
        description={t`Your organisation’s account name`}
        value={account}
        onChange={(event) => {
          setAccount(event.currentTarget.value)
          signIn.reset()
        }}
        autoComplete="organization"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={60}
        required
        withAsterisk={false}
        error={
          signIn.isSuspended
            ? t`This account is suspended. Contact your service provider.`
            : signIn.hasFailed
              ? t`No sign-in page was found for this account. Check its name or try again shortly.`
              : null
        }
        rightSection={known ? <Icon name="check-circle" /> : null}
      />
      <Text size="sm" mt={6} mih={20} c="dimmed" display="block" component="output">
        {known?.client_name}
      </Text>
      <Button type="submit" size="md" fullWidth mt="xs" loading={signIn.isLeaving}>
        <Trans>Continue</Trans>
      </Button>
    </form>
  )
}

const PublicLinks = () => (
  <Group justify="center" gap="lg" mt="lg" className={classes.links}>
    <Link to="/">
      <Trans>About Custodia</Trans>
    </Link>
    <Link to="/privacy">
      <Trans>Privacy</Trans>
    </Link>
    <Link to="/cookies">
      <Trans>Cookies</Trans>
    </Link>
    <Link to="/terms">
      <Trans>Terms</Trans>
    </Link>
  </Group>
)

/** Leaves for the identity provider. Its code loads on demand; a failure is shown in place and logged. */
function useSignIn() {
  const [state, setState] = useState<'ready' | 'leaving' | 'failed' | 'suspended'>('ready')
  const start = async (account: string, person?: ChosenPerson) => {
    setState('leaving')
    try {
      const { startSignIn } = await import('../../api/sign-in.ts')
      await startSignIn(account, person)
    } catch (error) {
      console.error(error)
      const isSuspended = error instanceof Error && 'code' in error && error.code === 'account_suspended'
      setState(isSuspended ? 'suspended' : 'failed')
    }
  }
  return {
    start,
    reset: () => setState('ready'),
    isLeaving: state === 'leaving',
    hasFailed: state === 'failed',
    isSuspended: state === 'suspended',
  }
}

/** One-click users of an installation with the demo identity provider, and what each sees. */
function DemoPeople({
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
