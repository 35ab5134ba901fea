import { makeClientOf } from '@custodia/client'
import { enrolmentPageEndpoints } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Code, Container, Group, List, Stack, Text, Title } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import QrCode from '../../components/qr-code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useTitle } from '../../ui/use-title.ts'

const { openEnrolment } = makeClientOf(enrolmentPageEndpoints, {
  baseUrl: '',
  client: () => undefined,
  credentials: async () => undefined,
})

/** An enrolment in the fragment of the address; undefined where the link was cut. */
function readLink(fragment: string) {
  try {
    const text = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'))
    const { account_reference, enrolment } = JSON.parse(text) as Record<string, unknown>
    return typeof account_reference === 'string' && typeof enrolment === 'string'
      ? { text, body: { account_reference, enrolment } }
      : undefined
  } catch {
    return undefined
  }
}

/** `/enrol#…`: the code of a mail, to copy or scan. Noting the visit tells no one whether the code exists. */
export function EnrolScreen() {
  const { t } = useLingui()
  const { hash } = useLocation()
  const code = useMemo(() => readLink(hash), [hash])
  const clipboard = useClipboard({ timeout: 1500 })
  const title = t`Enrol your phone`
  useTitle(title)
  useEffect(() => {
    if (code) openEnrolment({ body: code.body }).catch((error: unknown) => console.warn(error))
  }, [code])
  return (
    <PublicLayout>
      <Container size="sm" py="xl">
        <Stack>
          <Title order={1}>{title}</Title>
          {code ? (
            <>
              <List type="ordered" spacing="xs">
                <List.Item>
                  <Trans>Open the recorder app on your work phone and choose to enrol.</Trans>
                </List.Item>
                <List.Item>
                  <Trans>Scan this QR code, or copy the code and paste it into the app.</Trans>
                </List.Item>
              </List>
              <QrCode text={code.text} label={t`Enrolment QR code`} size={260} />
              <Code block data-enrolment style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {code.text}
              </Code>
              <Group>
                <Button
                  leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={16} />}
                  onClick={() => clipboard.copy(code.text)}
                >
                  {clipboard.copied ? <Trans>Copied</Trans> : <Trans>Copy code</Trans>}
                </Button>
              </Group>
              <Text size="sm" c="dimmed">
                <Trans>The code works for one phone. Keep it confidential.</Trans>
              </Text>
            </>
          ) : (
            <Alert color="yellow" icon={<Icon name="warning" />} title={t`This link is incomplete`}>
              <Trans>Open it from the email again, or ask your administrator for a new code.</Trans>
            </Alert>
          )}
        </Stack>
      </Container>
    </PublicLayout>
  )
}
