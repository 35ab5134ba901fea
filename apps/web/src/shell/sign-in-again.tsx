import { SIGN_IN_PATH } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { session } from '../api/current-session.ts'
import { interruption } from '../api/interruption.ts'
import { useProfile } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'
import { leaveInterrupted, mayContinue } from './connect-session.ts'

const WINDOW = 'popup,width=520,height=760'

/** The session ended over unsaved input: asks for a sign-in in another window, and goes on where the page was. */
export default function SignInAgain() {
  const { t } = useLingui()
  const { user_reference, client } = useProfile()
  const router = useRouter()
  const isChecking = useSyncExternalStore(interruption.subscribe, interruption.state) === 'checking'
  const [isBlocked, setBlocked] = useState(false)
  const signIn = () => {
    const present = session.present()
    // Another window has signed in, but the check failed.
    if (typeof present === 'object') return void mayContinue(present)
    const { publicHref } = router.buildLocation({ to: SIGN_IN_PATH, search: { client, again: 'true' } })
    setBlocked(globalThis.open(publicHref, '_blank', WINDOW) === null)
  }
  return (
    <Modal.Root opened onClose={() => {}} size="md" zIndex={500}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header component="div">
          <Modal.Title>{t`Sign in again`}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <Stack>
            <Text>
              <Trans>
                Your session has ended. Your changes stay here until you sign in as {user_reference}.
              </Trans>
            </Text>
            {isBlocked && (
              <Alert color="orange" role="alert" icon={<Icon name="warning" />}>
                <Trans>The browser blocked the window. Allow pop-up windows and try again.</Trans>
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => void leaveInterrupted(router.latestLocation.href)}>
                <Trans>Discard changes</Trans>
              </Button>
              <Button data-autofocus loading={isChecking} onClick={signIn}>
                <Trans>Sign in</Trans>
              </Button>
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
