import { type Locale, type LogFault, logFaultPhrase } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Code, Stack, Text } from '@mantine/core'
import { shownLocale } from '../../i18n/i18n.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import type { verifyBundle } from './verify-files.ts'

const OUTCOMES = {
  changed: msg`Changed since the export`,
  doubled: msg`Twice in the archive`,
  missing: msg`Missing`,
  unlisted: msg`Not in the manifest`,
} as const

/** How the files of a bundle compare with its manifest, and who signed that. */
export function BundleResult({ files, bags, hasKey }: Bundle & { hasKey: boolean }) {
  return (
    <>
      <FilesResult files={files} />
      {worstOf(bags).map(({ folder, signature, log }) => (
        <Stack key={folder}>
          <SignatureResult signature={signature} hasKey={hasKey} />
          {log && <LogResult verdict={log} />}
        </Stack>
      ))}
      <More count={bags.length - SHOWN} />
    </>
  )
}

/** An archive may have more bags and files than a page can show. */
const SHOWN = 100
const isGood = ({ signature, log }: Bag) => signature.state === 'good' && log?.isGood !== false
const worstOf = (bags: readonly Bag[]): Bag[] =>
  bags.toSorted((a, b) => Number(isGood(a)) - Number(isGood(b))).slice(0, SHOWN)

function More({ count }: { count: number }) {
  if (count <= 0) return null
  return (
    <Text size="sm">
      <Plural value={count} one="and # more" other="and # more" />
    </Text>
  )
}

type Bundle = NonNullable<Awaited<ReturnType<typeof verifyBundle>>>
type Bag = Bundle['bags'][number]

function SignatureResult({ signature, hasKey }: { signature: Bag['signature']; hasKey: boolean }) {
  const { t } = useLingui()
  const { state, key } = signature
  if (state === 'unsigned')
    return (
      <Alert color="yellow" icon={<Icon name="warning" />} title={t`Not signed`}>
        <Trans>The origin of this export is not proven.</Trans>
      </Alert>
    )
  if (state === 'good')
    return (
      <Alert color="green" icon={<Icon name="check" />} title={t`Signed`}>
        <Trans>The manifest is signed with your verification key.</Trans>
      </Alert>
    )
  const isCompared = state === 'untrusted' && !hasKey
  return (
    <Alert
      color={isCompared ? 'blue' : 'red'}
      icon={<Icon name={isCompared ? 'info' : 'warning'} />}
      title={isCompared ? t`Compare the key` : t`Not good`}
    >
      {state === 'wrong' ? (
        <Trans>The manifest is not the one that was signed.</Trans>
      ) : state === 'wrong_cms' ? (
        <Trans>The file tagmanifest-sha256.txt.p7s is missing, was changed, or is of another signer.</Trans>
      ) : hasKey ? (
        <Trans>The manifest is signed with another key than yours:</Trans>
      ) : (
        <Trans>The manifest is signed. Its key must be the one that the account gave you:</Trans>
      )}
      {state === 'untrusted' && (
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
          {key}
        </Code>
      )}
    </Alert>
  )
}

/** The verdict on entries of a sealed log. */
export function LogResult({ verdict }: { verdict: NonNullable<Bag['log']> }) {
  const { t, i18n } = useLingui()
  if (!verdict.isGood)
    return (
      <Alert color="red" icon={<Icon name="warning" />} title={t`Not good`}>
        {faultText(verdict.fault, shownLocale())}
      </Alert>
    )
  return (
    <Alert color="green" icon={<Icon name="check" />} title={t`Good`}>
      <Trans>
        {verdict.origin}: {i18n.number(verdict.size)} entries sealed, {i18n.number(verdict.entries)} compared,{' '}
        <Plural value={verdict.checkpoints} one="# checkpoint signed." other="# checkpoints signed." />
      </Trans>
      {verdict.skipped > 0 && (
        <Text size="sm">
          <Trans>Your checkpoints of another size were not compared.</Trans>
        </Text>
      )}
    </Alert>
  )
}

/** The fault as a sentence. */
function faultText(fault: LogFault, locale: Locale): string {
  const text = visible(logFaultPhrase(fault, locale))
  const hasPath = fault.path !== undefined
  return `${hasPath ? text : `${text.slice(0, 1).toLocaleUpperCase(locale)}${text.slice(1)}`}.`
}

function FilesResult({ files }: Pick<Bundle, 'files'>) {
  const { t, i18n } = useLingui()
  const wrong = files.flatMap(({ path, outcome }) => (outcome === 'unchanged' ? [] : [{ path, outcome }]))
  if (wrong.length === 0)
    return (
      <Alert color="green" icon={<Icon name="check" />} title={t`Unchanged`}>
        <Plural
          value={files.length}
          one="# file has the digest in the manifest."
          other="All # files have the digest in the manifest."
        />
      </Alert>
    )
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t`Not as exported`}>
      <Plural
        value={wrong.length}
        one={`# of ${i18n.number(files.length)} files differs from the manifest.`}
        other={`# of ${i18n.number(files.length)} files differ from the manifest.`}
      />
      <DataTable
        caption={t`Files that differ`}
        rows={wrong.slice(0, SHOWN)}
        getKey={({ path, outcome }) => `${outcome} ${path}`}
        columns={[
          { label: t`File`, cell: ({ path }) => visible(path) },
          { label: t`Result`, cell: ({ outcome }) => i18n._(OUTCOMES[outcome]) },
        ]}
      />
      <More count={wrong.length - SHOWN} />
    </Alert>
  )
}
