import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Paper, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { rememberedAccount } from '../../api/remembered-account.ts'
import { BrandMark } from '../../shell/brand.tsx'
import { ColourModeSwitch } from '../../shell/colour-mode-switch.tsx'
import { LanguageSwitch } from '../../shell/language-switch.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { DemoPeople } from './demo-people.tsx'
import classes from './sign-in.module.css'

const route = getRouteApi('/sign-in')
/** While an account is typed, its name is asked for after this pause, in milliseconds. */
const TYPING_PAUSE_MS = 400

/** Choose the account, then sign in at its identity provider. */
export function SignInScreen() {
  const { t } = useLingui()
  const { client } = route.useSearch()
  const [account, setAccount] = useState(client ?? rememberedAccount())
  const [settled] = useDebouncedValue(account.trim(), TYPING_PAUSE_MS)
  const known = useAccount(settled)
  const signIn = useMutation({
    mutationFn: async (chosen: string) => (await import('../../api/sign-in.ts')).startSignIn(chosen),
    meta: { silent: true },
  })
  useTitle(t`Sign in`)

  return (
    <div className={classes.page}>
      <Group justify="flex-end" gap={4} p="sm">
        <LanguageSwitch />
        <ColourModeSwitch />
      </Group>
      <main className={classes.main}>
        <Paper className={classes.card} radius="lg">
          <BrandMark size={44} />
          <Title order={1} tabIndex={-1} mt="md">
            <Trans>Sign in to Custodia</Trans>
          </Title>
          <Text c="dimmed" mt={4} mb="lg">
            <Trans>You continue at your organisation’s sign-in page.</Trans>
          </Text>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (account.trim() !== '') signIn.mutate(account.trim())
            }}
          >
            <TextInput
              size="md"
              label={t`Account`}
              description={t`The short name of your organisation’s account`}
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
                signIn.isError
                  ? t`No sign-in page answers for this account. Check its name or try again shortly.`
                  : null
              }
              rightSection={known.isSuccess ? <Icon name="check-circle" /> : null}
            />
            <Text size="sm" mt={6} mih={20} c="dimmed" role="status">
              {known.data?.client_name}
            </Text>
            <Button type="submit" size="md" fullWidth mt="xs" loading={signIn.isPending}>
              <Trans>Continue</Trans>
            </Button>
          </form>
          {known.data !== undefined && <DemoPeople people={known.data.demo_people} />}
        </Paper>
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
      </main>
    </div>
  )
}

/** What a visitor may know about the account; the calls load only now, so that the page itself stands at once. */
function useAccount(client: string) {
  return useQuery({
    queryKey: ['account', client],
    queryFn: async () => (await import('../../api/queries.ts')).accountOf(client),
    enabled: client !== '',
    meta: { silent: true },
  })
}
