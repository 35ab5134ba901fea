import type { DestructionCertificate } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Code, Group, List, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { useProfile } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { printPage } from '../../components/lists/export-csv.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { periodWords } from '../../components/words/period-words.ts'
import { PageMenu } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

const CertificateDigest = lazy(() => import('./certificate-digest.tsx'))

/** One certificate of destruction: to read, print, or download for verification. */
export default function CertificatePage({ reference }: { reference: string }) {
  const { t } = useLingui()
  const query = useQuery({
    ...callQuery(retentionApi, 'readCertificate', { params: { certificate_reference: reference } }),
    // Immutable.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <RecordPage
      query={query}
      title={t`Certificate of destruction`}
      back={{ to: '/dashboard/governance/destructions' }}
      backLabel={t`All destructions`}
    >
      {(shown) => <CertificateView shown={shown} />}
    </RecordPage>
  )
}

type Certificate = DestructionCertificate['certificate']
type CertifiedPayload = Certificate['payloads'][number]

function CertificateView({ shown }: { shown: DestructionCertificate }) {
  const { t } = useLingui()
  const { certificate } = shown
  return (
    <>
      <PageHeader title={t`Certificate of destruction`} actions={<Acts shown={shown} />} />
      <PageBody>
        <Statement certificate={certificate} />
        <Group align="flex-start" gap="xl" wrap="wrap-reverse" justify="space-between">
          <Stack gap="lg" flex="1 1 22rem">
            <CertificateParties certificate={certificate} />
            <CertificateTimes certificate={certificate} />
          </Stack>
          <Suspense fallback={<Skeleton w={200} h={262} />}>
            <CertificateDigest certificate={certificate} />
          </Suspense>
        </Group>
        <Payloads payloads={certificate.payloads} />
        <Rules payloads={certificate.payloads} />
        <HowToVerify shown={shown} />
      </PageBody>
    </>
  )
}

/** What is certified, in one sentence. */
function Statement({ certificate: { payloads } }: { certificate: Certificate }) {
  const account = visible(useProfile().client_name)
  return (
    <Text size="md">
      <Plural
        value={payloads.length}
        one={`Custodia certifies that # recording of ${account} was permanently destroyed: keys, objects, texts and search entries.`}
        other={`Custodia certifies that # recordings of ${account} were permanently destroyed: keys, objects, texts and search entries.`}
      />
    </Text>
  )
}

/** The server as it names itself where no person acts, and how it is called here. */
const SERVER = 'retention (system)'

function CertificateParties({ certificate: { client, payloads } }: { certificate: Certificate }) {
  const { t } = useLingui()
  const { client_name } = useProfile()
  const getName = (by: string, name?: string) => {
    if (by === SERVER) return t`the retention policy, automatically`
    return visible(name === undefined ? by : `${name} (${by})`)
  }
  const inList = (names: readonly string[]) => [...new Set(names)].join(', ')
  return (
    <Facts isPart title={t`Who`}>
      <Fact label={t`Account`}>
        {visible(client_name)} ({visible(client)})
      </Fact>
      <Fact label={t`Destroyed by`}>{inList(payloads.map(({ destroyed_by }) => getName(destroyed_by)))}</Fact>
      <Fact label={t`Released by`}>
        {inList(payloads.flatMap(({ released }) => (released ? getName(released.by, released.name) : [])))}
      </Fact>
    </Facts>
  )
}

function CertificateTimes({ certificate }: { certificate: Certificate }) {
  const { t } = useLingui()
  const { part, parts } = certificate
  return (
    <Facts isPart title={t`When`}>
      <Fact label={t`Started`}>
        <Time at={certificate.began_at} style="second" />
      </Fact>
      <Fact label={t`Ended`}>
        <Time at={certificate.ended_at} style="second" />
      </Fact>
      <Fact label={t`Issued`}>
        <Time at={certificate.issued_at} style="second" />
      </Fact>
      <Fact label={t`Certificate`}>{certificate.certificate_reference}</Fact>
      {parts > 1 && <Fact label={t`Part of the run`}>{t`${part} of ${parts}`}</Fact>}
    </Facts>
  )
}

/** The rules under which the recordings were destroyed, each once. */
function Rules({ payloads }: { payloads: readonly CertifiedPayload[] }) {
  const { t, i18n } = useLingui()
  const destroyedAfter = (days: number, isAlone: boolean) => {
    const period = periodWords(days)
    if (days === 0) return t`destroyed at once`
    return isAlone ? t`destroyed after ${period}` : t`destroyed ${period} later`
  }
  const rules = new Map(payloads.map((each) => [JSON.stringify([each.policy_version, each.rule]), each]))
  return (
    <Section title={t({ context: 'certificate', message: 'Under which rule' })}>
      <List size="sm">
        {[...rules].map(([key, { policy_version, rule }]) => {
          const type = i18n._(PAYLOAD_TYPE_WORDS[rule.payload_type])
          const version = i18n.number(policy_version)
          const { delete_after_days: first, destroy_after_days: then } = rule
          return (
            <List.Item key={key}>
              {t`${type}, policy version ${version}`}
              {first !== undefined && ` · ${t`deleted after ${periodWords(first)}`}`}
              {then !== undefined && ` · ${destroyedAfter(then, first === undefined)}`}
            </List.Item>
          )
        })}
      </List>
    </Section>
  )
}

function HowToVerify({ shown: { signature } }: { shown: DestructionCertificate }) {
  const { t } = useLingui()
  const address = `${location.origin}/verify`
  return (
    <Section title={t`How to verify`}>
      <List type="ordered" size="sm" mb="sm">
        <List.Item>
          <Trans>
            Save this certificate as a file. Scan the QR code or open <Code>{address}</Code>, and choose the
            file: its digest must be the one of this page.
          </Trans>
        </List.Item>
        <List.Item>
          <Trans>
            To check the signature, run <Code>custodia certificate</Code> with the file and the public keys.
          </Trans>
        </List.Item>
      </List>
      <Facts isPart title={t`Signature`}>
        <Fact label={t`Signed by key`}>{signature.key_id}</Fact>
        <Fact label={t`Signature (Ed25519)`}>
          <Code style={{ overflowWrap: 'anywhere' }}>{signature.value}</Code>
        </Fact>
      </Facts>
    </Section>
  )
}

function Acts({ shown }: { shown: DestructionCertificate }) {
  const { t } = useLingui()
  const { certificate_reference } = shown.certificate
  const save = () =>
    download([JSON.stringify(shown, null, 2)], `certificate-${certificate_reference}`, {
      type: 'application/json',
      ending: 'json',
    })
  return (
    <>
      <Button leftSection={<Icon name="download" size={16} />} onClick={save}>
        <Trans>Save as a file</Trans>
      </Button>
      <PageMenu>
        <PageAct
          icon="print"
          label={t`Print`}
          onClick={() => void printPage({ list: 'readCertificate', certificate_reference })}
        />
      </PageMenu>
    </>
  )
}

function Payloads({ payloads }: { payloads: readonly CertifiedPayload[] }) {
  const { t, i18n } = useLingui()
  return (
    <Section title={t`What`}>
      <DataTable
        caption={t`Destroyed content`}
        rows={payloads}
        getKey={({ payload_reference }) => payload_reference}
        columns={[
          { label: t`Recording`, cell: (row) => visible(row.payload_reference) },
          { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
          {
            label: t({ context: 'certificate', message: 'Recorded' }),
            cell: (row) => <Time at={row.payload_time} />,
          },
          {
            label: t({ context: 'certificate', message: 'Destroyed' }),
            cell: (row) => <Time at={row.destroyed_at} />,
          },
        ]}
        // Stacked: a table of so many columns does not fit on paper.
        details={(row) => (
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {[
              [t`Policy version`, i18n.number(row.policy_version)],
              [t`People checked for legal holds`, i18n.number(row.holds.people_checked)],
              [t`Receipts confirmed`, row.gates.receipts.map(visible).join(', ')],
              [t`SHA-256`, getDigest(row)],
              [
                t`Removed object version`,
                row.digests.flatMap(({ version_id }) => version_id ?? []).join(', '),
              ],
            ]
              .filter(([, value]) => value !== '')
              .map(([label, value]) => `${label}: ${value}`)
              .concat(row.replayed_at === undefined ? [] : t`Restored from the key ledger`)
              .join(' · ')}
          </Text>
        )}
      />
    </Section>
  )
}

/** Digest announced by the device, else of the first known object. */
const getDigest = ({ checksum, digests }: CertifiedPayload): string =>
  checksum ?? digests.find((each) => each.checksum !== null)?.checksum ?? '–'
