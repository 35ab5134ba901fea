import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { download } from '../../ui/files.ts'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { LatestTable, RecordLink, SHOWN } from './latest-table.tsx'

/** Destruction certificates, one per retention run. */
export default function Certificates() {
  const { t } = useLingui()
  const certificates = useQuery(callQuery(retentionApi, 'listCertificates', { query: { limit: SHOWN } }))
  return (
    <Card component="section" mt="lg" aria-labelledby="retention-certificates">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="retention-certificates">
          <Trans>Certificates of destruction</Trans>
        </Title>
        <Button size="xs" variant="default" onClick={() => void saveKeys()}>
          <Trans>Save the public keys</Trans>
        </Button>
      </Group>
      <LatestTable
        query={certificates}
        none={<Trans>No destructions yet.</Trans>}
        caption={t`Certificates, newest first`}
        getKey={({ certificate_reference }) => certificate_reference}
        columns={[
          {
            label: t`Issued`,
            cell: ({ certificate_reference: certificate, issued_at }) => (
              <RecordLink to={{ certificate }}>
                <Time at={issued_at} />
              </RecordLink>
            ),
          },
          { label: t`Certificate`, cell: (row) => <Reference value={row.certificate_reference} /> },
          { label: t`Recordings destroyed`, count: (row) => row.payloads },
          { label: t`Part of the run`, cell: ({ part, parts }) => t`${part} of ${parts}` },
        ]}
      />
    </Card>
  )
}

async function saveKeys(): Promise<void> {
  const { keys } = await retentionApi.readCertificateKeys({ query: {} })
  const pems = keys.map(({ public_key_pem }) => public_key_pem)
  download(pems, 'certificate-keys', { type: 'application/x-pem-file', ending: 'pem' })
}
