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
import { BundleResult, LogResult } from './results.tsx'
import { SignedResult } from './signed-result.tsx'
import type { verifyBundle, verifyDocument, verifySealed } from './verify-files.ts'

const SealedSection = lazy(() => import('./sealed-section.tsx'))

type Result =
  | ({ kind: 'bundle' } & NonNullable<Awaited<ReturnType<typeof verifyBundle>>>)
  | { kind: 'signed'; found: NonNullable<Awaited<ReturnType<typeof verifyDocument>>> }
  | { kind: 'sealed'; verdict: Awaited<ReturnType<typeof verifySealed>> }
  | { kind: 'keyless' | 'unknown' }

/** Chosen files, or what was dropped. */
type ChosenFiles = readonly (File | FileSystemEntry)[]

/** Digest in the QR code of a certificate, which is the fragment of this page’s address. */
const DIGEST = /^[0-9a-f]{64}$/

/** How a sealed log, a proof and a checkpoint begin. */
const SEALED = /^(?:\{"format":"custodia-sealed-log|custodia\/)/

/** Reads what was chosen; the code for it loads now. */
async function verify(
  chosen: ChosenFiles,
  key: string,
  onProgress: (share: number) => void,
): Promise<Result> {
  const { filesOfChoice, filesOfZip, verifyBundle, verifyDocument, verifySealed } =
    await import('./verify-files.ts')
  const [first] = chosen
  const file = chosen.length === 1 && first instanceof File ? first : undefined
  if (file && SEALED.test(await file.slice(0, 40).text()))
    return key === '' ? { kind: 'keyless' } : { kind: 'sealed', verdict: await verifySealed(file, [key], []) }
  if (file?.name.endsWith('.json')) {
    const found = await verifyDocument(await file.text(), key)
    return found ? { kind: 'signed', found } : { kind: 'unknown' }
  }
  const parts = await (file ? filesOfZip(file).catch(() => []) : filesOfChoice(chosen))
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
  const start = async (chosen: ChosenFiles) => {
    if (chosen.length === 0) return
    setResult(undefined)
    setShare(0)
    try {
      setResult(await verify(chosen, key.trim(), setShare))
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
        <Choose isBusy={share !== undefined} onChoose={(chosen) => void start(chosen)} />
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
          {result?.kind === 'keyless' && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              <Trans>Enter the verification key first.</Trans>
            </Alert>
          )}
          {result?.kind === 'sealed' && <LogResult {...result} />}
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

function Choose({ isBusy, onChoose }: { isBusy: boolean; onChoose: (chosen: ChosenFiles) => void }) {
  const { t } = useLingui()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const { files, items } = event.dataTransfer
    // A folder is no file, and only this event gives its entry.
    const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
    onChoose(entries.some(({ isDirectory }) => isDirectory) ? entries : [...files])
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
