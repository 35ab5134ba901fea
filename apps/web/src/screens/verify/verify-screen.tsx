import { Trans, useLingui } from '@lingui/react/macro'
import {
  Alert,
  Button,
  Container,
  FileButton,
  Group,
  Progress,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type DragEvent, type InputHTMLAttributes, lazy, Suspense, useState } from 'react'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { BundleResult } from './results.tsx'
import { SignedResult } from './signed-result.tsx'
import type { verifyBundle, verifyDocument } from './verify-files.ts'

const SealedSection = lazy(() => import('./sealed-section.tsx'))

type Result =
  | ({ kind: 'bundle' } & NonNullable<Awaited<ReturnType<typeof verifyBundle>>>)
  | { kind: 'signed'; found: NonNullable<Awaited<ReturnType<typeof verifyDocument>>> }
  | { kind: 'unknown' }

/** Digest in the QR code of a certificate, which is the fragment of this page’s address. */
const DIGEST = /^[0-9a-f]{64}$/

/** Reads what was chosen; the code for it loads now. */
async function verify(
  files: readonly File[],
  key: string,
  onProgress: (share: number) => void,
): Promise<Result> {
  const { filesOfFolder, filesOfZip, verifyBundle, verifyDocument } = await import('./verify-files.ts')
  const [first] = files
  if (first === undefined) return { kind: 'unknown' }
  if (files.length === 1 && first.name.endsWith('.json')) {
    const found = await verifyDocument(await first.text(), key)
    return found ? { kind: 'signed', found } : { kind: 'unknown' }
  }
  const parts = files.length === 1 ? await filesOfZip(first).catch(() => []) : filesOfFolder(files)
  const found = await verifyBundle(parts, key, onProgress)
  return found ? { kind: 'bundle', ...found } : { kind: 'unknown' }
}

/** `/verify`: checks an exported bundle or a signed document in the browser; nothing is uploaded. */
export function VerifyScreen() {
  const { t } = useLingui()
  const { hash } = useLocation()
  const expected = DIGEST.test(hash) ? hash : undefined
  const title = t({ context: 'page', message: 'Verify evidence' })
  useTitle(title)
  const [key, setKey] = useState('')
  const [share, setShare] = useState<number>()
  const [result, setResult] = useState<Result>()
  const start = async (files: readonly File[]) => {
    if (files.length === 0) return
    setResult(undefined)
    setShare(0)
    try {
      setResult(await verify(files, key.trim(), setShare))
    } catch {
      setResult({ kind: 'unknown' })
    } finally {
      setShare(undefined)
    }
  }
  return (
    <PublicLayout>
      <Container size={760} py={48}>
        <Title order={1} tabIndex={-1}>
          {title}
        </Title>
        <Text mt="xs" mb="lg">
          <Trans>
            Checks an export, a signed certificate or report, or a sealed log. Your browser reads the files;
            nothing is uploaded.
          </Trans>
        </Text>
        {expected !== undefined && (
          <Alert color="blue" icon={<Icon name="info" />} mb="md" title={t`Digest from the QR code`}>
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {expected}
            </Text>
          </Alert>
        )}
        <TextInput
          mb="md"
          label={t`Verification key`}
          description={t`The key that the account gave you earlier, or its public keys (PEM).`}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Choose isBusy={share !== undefined} onChoose={(files) => void start(files)} />
        <Stack mt="lg" aria-live="polite">
          {share !== undefined && <Progress value={share * 100} aria-label={t`Progress`} animated />}
          {result?.kind === 'unknown' && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              <Trans>
                This is neither an export with a manifest nor a signed document, or it was cut off. Choose the
                zip file, the unpacked files, or the signed document (JSON).
              </Trans>
            </Alert>
          )}
          {result?.kind === 'bundle' && <BundleResult {...result} hasKey={key.trim() !== ''} />}
          {result?.kind === 'signed' && (
            <SignedResult {...result} expected={expected} hasKey={key.trim() !== ''} />
          )}
        </Stack>
        <Suspense>
          <SealedSection verificationKey={key.trim()} />
        </Suspense>
      </Container>
    </PublicLayout>
  )
}

function Choose({ isBusy, onChoose }: { isBusy: boolean; onChoose: (files: readonly File[]) => void }) {
  const { t } = useLingui()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    onChoose([...event.dataTransfer.files])
  }
  return (
    <Group
      p="xl"
      justify="center"
      component="section"
      aria-label={t`Files to verify`}
      style={{ border: '2px dashed var(--mantine-color-default-border)', borderRadius: 8 }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <FileButton accept=".zip,.json" onChange={(file) => file && onChoose([file])}>
        {(props) => (
          <Button {...props} loading={isBusy}>
            <Trans>Choose a zip file or signed document</Trans>
          </Button>
        )}
      </FileButton>
      <FileButton
        multiple
        onChange={onChoose}
        inputProps={{ webkitdirectory: '' } as InputHTMLAttributes<HTMLInputElement>}
      >
        {(props) => (
          <Button {...props} variant="default" loading={isBusy}>
            <Trans>Choose an unpacked folder</Trans>
          </Button>
        )}
      </FileButton>
    </Group>
  )
}
