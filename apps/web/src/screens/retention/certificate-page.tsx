import type { DestructionCertificate } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { keyOf } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import classes from '../../components/not-printed.module.css'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'

/** One certificate of destruction: to read, print, or download for verification. */
export default function CertificatePage({ reference }: { reference: string }) {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: keyOf('readCertificate', reference),
    queryFn: ({ signal }) =>
      retentionApi.readCertificate({ params: { certificate_reference: reference }, query: {} }, { signal }),
    // Immutable.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <RecordPage
      query={query}
      title={t`Certificate of destruction`}
      back={{ to: '/dashboard/governance/destructions' }}
      backLabel={t`Back to destructions`}
    >
      {(shown) => <Shown shown={shown} />}
    </RecordPage>
  )
}

function Shown({ shown }: { shown: DestructionCertificate }) {
  const { t } = useLingui()
  const { certificate, signature } = shown
  const { part, parts, payloads } = certificate
  return (
    <>
      <PageHeader title={t`Certificate of destruction`} actions={<Acts shown={shown} />} />
      <Stack gap="lg">
        <Text>
          <Plural
            value={payloads.length}
            one="# recording of the account was permanently destroyed: keys, objects, texts and search entries."
            other="# recordings of the account were permanently destroyed: keys, objects, texts and search entries."
          />
        </Text>
        <Facts isPart title={t`Run`}>
          <Fact label={t`Certificate`}>{certificate.certificate_reference}</Fact>
          <Fact label={t`Account`}>{visible(certificate.client)}</Fact>
          <Fact label={t`Part of the run`}>{t`${part} of ${parts}`}</Fact>
          <Fact label={t`Started`}>
            <Time at={certificate.began_at} style="second" />
          </Fact>
          <Fact label={t`Ended`}>
            <Time at={certificate.ended_at} style="second" />
          </Fact>
          <Fact label={t`Issued`}>
            <Time at={certificate.issued_at} style="second" />
          </Fact>
          <Fact label={t`Signed by key`}>{signature.key_id}</Fact>
          <Fact label={t`Signature (Ed25519)`}>
            <Code style={{ overflowWrap: 'anywhere' }}>{signature.value}</Code>
          </Fact>
        </Facts>
        <Payloads payloads={payloads} />
      </Stack>
    </>
  )
}

function Acts({ shown }: { shown: DestructionCertificate }) {
  const save = () =>
    download([JSON.stringify(shown, null, 2)], `certificate-${shown.certificate.certificate_reference}`, {
      type: 'application/json',
      ending: 'json',
    })
  return (
    <Group gap="xs" className={classes.acts}>
      <Button
        variant="subtle"
        renderRoot={(rest) => <Link {...rest} to="/dashboard/governance/destructions" />}
      >
        <Trans>Back to destructions</Trans>
      </Button>
      <Button variant="default" onClick={save}>
        <Trans>Save as a file</Trans>
      </Button>
      <Button variant="default" onClick={() => window.print()}>
        <Trans>Print</Trans>
      </Button>
    </Group>
  )
}

type Certified = DestructionCertificate['certificate']['payloads'][number]

function Payloads({ payloads }: { payloads: readonly Certified[] }) {
  const { t, i18n } = useLingui()
  return (
    <DataTable
      caption={t`Destroyed content`}
      rows={payloads}
      keyOf={({ payload_reference }) => payload_reference}
      columns={[
        { id: 'reference', label: t`Recording`, cell: (row) => visible(row.payload_reference) },
        { id: 'type', label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
        { id: 'recorded', label: t`Recorded`, cell: (row) => <Time at={row.payload_time} /> },
        { id: 'destroyed', label: t`Destroyed`, cell: (row) => <Time at={row.destroyed_at} /> },
      ]}
      // Stacked: a table of so many columns does not fit on paper.
      details={(row) => (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {[
            [t`By policy version`, i18n.number(row.policy_version)],
            [t`People checked for legal holds`, i18n.number(row.holds.people_checked)],
            [t`Receipts confirmed`, row.gates.receipts.map(visible).join(', ') || '–'],
            [t`SHA-256`, digestOf(row)],
          ]
            .map(([label, value]) => `${label}: ${value}`)
            .concat(row.replayed_at === undefined ? [] : t`Restored from the key ledger`)
            .join(' · ')}
        </Text>
      )}
    />
  )
}

/** Time announced by the device, else of the first known object. */
const digestOf = ({ checksum, digests }: Certified): string =>
  checksum ?? digests.find((each) => each.checksum !== null)?.checksum ?? '–'
