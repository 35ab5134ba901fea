import { MISSING_LIMIT, type ReconciliationSummary, type TransferReconciliation } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { MISSING_REASON_WORDS } from '../../components/transfers/transfer-words.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { FailureReason } from './transfer-state.tsx'

/** Maximum missing rows shown; the file has all. */
const SHOWN = 200

/** One day of a config: missing recordings with reasons, and the signed file. */
export default function ReconciliationPreview({
  rowKey,
  row,
}: {
  rowKey: string
  row: ReconciliationSummary | undefined
}) {
  const mayRead = useMay()('transfer_reconciliations:read')
  const query = useQuery({
    ...callQuery(transfersApi, 'readTransferReconciliation', {
      params: { reconciliation_reference: rowKey },
    }),
    // Immutable.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: mayRead,
  })
  return (
    <Stack>
      {row && <SendState row={row} />}
      {mayRead && (
        <QueryResult query={query} height={240}>
          {(file) => <ReconciliationFacts file={file} />}
        </QueryResult>
      )}
    </Stack>
  )
}

function SendState({ row: { sent_at, dest_path, error_message } }: { row: ReconciliationSummary }) {
  const { t } = useLingui()
  if (error_message !== null)
    return (
      <Alert
        color="red"
        icon={<Icon name="alert-circle" />}
        title={t`The statement could not be sent`}
        p="sm"
      >
        <FailureReason message={error_message} />. <Trans>It is retried hourly.</Trans>
      </Alert>
    )
  return (
    <Facts title={t({ context: 'transfer', message: 'Statement' })}>
      <Fact label={t({ context: 'transfer', message: 'Sent' })}>
        {sent_at !== null && <Time at={sent_at} style="second" />}
      </Fact>
      <Fact label={t`Stored at`}>
        {dest_path !== null && <span style={{ overflowWrap: 'anywhere' }}>{visible(dest_path)}</span>}
      </Fact>
    </Facts>
  )
}

function ReconciliationFacts({ file }: { file: TransferReconciliation }) {
  const { t, i18n } = useLingui()
  const { captured, delivered, missing, reasons, missing_payloads, version, issued_at, ...result } =
    file.reconciliation
  const shown = i18n.number(SHOWN)
  const most = i18n.number(MISSING_LIMIT)
  const name = `reconciliation-${result.payload_date}-${result.transfer_config_reference}`
  return (
    <>
      <Facts title={t({ context: 'transfer', message: 'Recordings of the day' })}>
        <Fact label={t({ context: 'transfer', message: 'Captured' })}>{i18n.number(captured)}</Fact>
        <Fact label={t({ context: 'transfer', message: 'Delivered' })}>{i18n.number(delivered)}</Fact>
        <Fact label={t({ context: 'transfer', message: 'Missing' })}>{i18n.number(missing)}</Fact>
        <Fact label={t({ context: 'transfer', message: 'Version' })}>
          {i18n.number(version)} · <Time at={issued_at} style="second" />
        </Fact>
        <Fact label={t`Signed by key`}>
          <Code style={{ overflowWrap: 'anywhere' }}>{file.signature.key_id}</Code>
        </Fact>
      </Facts>
      {missing > 0 && (
        <Stack gap={4}>
          {reasons.map(({ reason, count }) => (
            <Text size="sm" key={reason}>
              {i18n.number(count)} · {i18n._(MISSING_REASON_WORDS[reason])}
            </Text>
          ))}
        </Stack>
      )}
      {missing_payloads.length > 0 && <MissingTable payloads={missing_payloads.slice(0, SHOWN)} />}
      {missing > SHOWN && (
        <Text size="sm" c="dimmed">
          {missing > MISSING_LIMIT
            ? t`First ${shown} shown; the file lists ${most} and has a hash over all.`
            : t`First ${shown} shown; the file lists all.`}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={() =>
            download([JSON.stringify(file, null, 2)], name.replaceAll(/[^\w.-]/g, '_'), {
              type: 'application/json',
              ending: 'json',
            })
          }
        >
          <Trans>Save the signed file</Trans>
        </Button>
      </Group>
    </>
  )
}

function MissingTable({
  payloads,
}: {
  payloads: TransferReconciliation['reconciliation']['missing_payloads']
}) {
  const { t, i18n } = useLingui()
  return (
    <DataTable
      caption={t`Missing`}
      rows={payloads}
      getKey={({ payload_reference }) => payload_reference}
      columns={[
        {
          label: t`Recording`,
          cell: (row) => <Code style={{ overflowWrap: 'anywhere' }}>{visible(row.payload_reference)}</Code>,
        },
        { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
        { label: t`Recorded`, cell: (row) => <Time at={row.payload_time} /> },
      ]}
      details={(row) => (
        <Text size="xs" c="dimmed">
          {i18n._(MISSING_REASON_WORDS[row.reason])}
        </Text>
      )}
    />
  )
}
