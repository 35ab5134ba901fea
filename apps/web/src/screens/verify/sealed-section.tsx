import type { Verdict } from '@custodia/sealed-log'
import { Trans } from '@lingui/react/macro'
import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CardSection } from '../../ui/section.tsx'
import { LogResult } from './results.tsx'

/** Verifies a sealed log, a proof or a checkpoint with a key that the auditor has from elsewhere. */
export default function SealedSection({ verificationKey }: { verificationKey: string }) {
  const [former, setFormer] = useState<File[]>([])
  const [verdict, setVerdict] = useState<Verdict>()
  const verify = async (file: File) => {
    setVerdict(undefined)
    const { verifySealed } = await import('./verify-files.ts')
    const checkpoints = await Promise.all(former.map((each) => each.text()))
    setVerdict(
      await verifySealed(file, [verificationKey], checkpoints).catch((): Verdict => ({
        isGood: false,
        fault: { code: 'unreadable', values: {} },
      })),
    )
  }
  return (
    <CardSection title={<Trans>Sealed log</Trans>} mt="lg">
      <Stack>
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
              <Button {...props} disabled={verificationKey === ''}>
                <Trans>Choose a log, proof or checkpoint</Trans>
              </Button>
            )}
          </FileButton>
        </Group>
        {former.length > 0 && <Text size="sm">{former.map(({ name }) => name).join(', ')}</Text>}
        <div aria-live="polite">{verdict && <LogResult verdict={verdict} />}</div>
      </Stack>
    </CardSection>
  )
}
