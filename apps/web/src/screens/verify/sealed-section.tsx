import type { Verdict } from '@custodia/sealed-log'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Card, FileButton, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'

/** Verifies a sealed log, a proof or a checkpoint with a key that the auditor has from elsewhere. */
export default function SealedSection() {
  const { t, i18n } = useLingui()
  const [key, setKey] = useState('')
  const [former, setFormer] = useState<File[]>([])
  const [verdict, setVerdict] = useState<Verdict>()
  const verify = async (file: File) => {
    setVerdict(undefined)
    const { verifySealed } = await import('./sealed-files.ts')
    const checkpoints = await Promise.all(former.map((each) => each.text()))
    setVerdict(
      await verifySealed(file, [key.trim()], checkpoints).catch((error: unknown): Verdict => ({
        isGood: false,
        fault: String(error),
      })),
    )
  }
  return (
    <Card component="section" mt="lg" aria-labelledby="verify-sealed">
      <Title order={2} size="h4" id="verify-sealed" mb="xs">
        <Trans>Sealed log</Trans>
      </Title>
      <Stack>
        <TextInput
          label={t`Verification key`}
          description={t`The key that the account gave you earlier.`}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Group>
          <FileButton multiple accept=".txt" onChange={setFormer}>
            {(props) => (
              <Button {...props} variant="default">
                <Trans>Choose your own checkpoints</Trans>
              </Button>
            )}
          </FileButton>
          <FileButton accept=".jsonl,.json,.txt" onChange={(file) => file && void verify(file)}>
            {(props) => (
              <Button {...props} disabled={key.trim() === ''}>
                <Trans>Choose a log, proof or checkpoint</Trans>
              </Button>
            )}
          </FileButton>
        </Group>
        {former.length > 0 && <Text size="sm">{former.map(({ name }) => name).join(', ')}</Text>}
        <div aria-live="polite">
          {verdict?.isGood === true && (
            <Alert color="green" icon={<Icon name="check" />} title={t`Good`}>
              <Trans>
                {verdict.origin}: {i18n.number(verdict.size)} entries sealed, {i18n.number(verdict.entries)}{' '}
                compared, {i18n.number(verdict.checkpoints)} checkpoints signed.
              </Trans>
            </Alert>
          )}
          {verdict?.isGood === false && (
            <Alert color="red" icon={<Icon name="warning" />} title={t`Not good`}>
              {verdict.fault}
            </Alert>
          )}
        </div>
      </Stack>
    </Card>
  )
}
