import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pageOf } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/retention-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/download.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'

const SHOWN = 50

/** Destruction certificates, one per retention run. */
export default function Certificates() {
  const { t, i18n } = useLingui()
  const certificates = useQuery({
    queryKey: keyOf('listCertificates'),
    queryFn: ({ signal }) => pageOf(retentionApi.listCertificates({ query: { limit: SHOWN } }, { signal })),
  })
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
      <Loaded query={certificates} height={80}>
        {({ data, last_key }) =>
          data.length === 0 ? (
            <Text size="sm">
              <Trans>No destructions yet.</Trans>
            </Text>
          ) : (
            <Stack gap="xs">
              <DataTable
                caption={t`Certificates, newest first`}
                rows={data}
                keyOf={({ certificate_reference }) => certificate_reference}
                columns={[
                  {
                    id: 'certificate',
                    label: t`Certificate`,
                    cell: ({ certificate_reference: certificate }) => (
                      <Anchor
                        underline="always"
                        renderRoot={(rest) => (
                          <Link {...rest} to="/dashboard/governance/destructions" search={{ certificate }} />
                        )}
                      >
                        {certificate}
                      </Anchor>
                    ),
                  },
                  { id: 'when', label: t`Issued`, cell: (row) => <Time at={row.issued_at} /> },
                  {
                    id: 'payloads',
                    label: t`Recordings destroyed`,
                    align: 'end',
                    cell: (row) => i18n.number(row.payloads),
                  },
                  {
                    id: 'part',
                    label: t`Part of the run`,
                    cell: ({ part, parts }) => t`${part} of ${parts}`,
                  },
                ]}
              />
              {last_key !== undefined && (
                <Text size="sm" c="dimmed">
                  {t`Latest ${SHOWN}. Older ones are available through the API.`}
                </Text>
              )}
            </Stack>
          )
        }
      </Loaded>
    </Card>
  )
}

async function saveKeys(): Promise<void> {
  const { keys } = await retentionApi.readCertificateKeys({ query: {} })
  const pems = keys.map(({ public_key_pem }) => public_key_pem)
  download(pems, 'certificate-keys', { type: 'application/x-pem-file', ending: 'pem' })
}
