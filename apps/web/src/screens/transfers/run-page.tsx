import type { TransferItem, TransferProblem, TransferRunDetail } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { keyOf } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { TransferState } from './transfer-state.tsx'
import { TRANSFER_PROBLEM_WORDS, TRANSFER_TYPE_WORDS } from '../../components/transfers/transfer-words.ts'

const route = getRouteApi('/dashboard/account/transfers/$transfer_id')
/** Milliseconds between two looks at a run that is under way. */
const LOOK_EVERY = 3000

/** `/dashboard/account/transfers/{transfer_id}`: one run, what it put where, and what failed and why. */
export default function RunPage() {
  const { transfer_id } = route.useParams()
  const { t } = useLingui()
  const titleOf = (config: string) => t`Transfer of ${config}`
  const query = useQuery({
    queryKey: keyOf('readTransfer', transfer_id),
    queryFn: ({ signal }) => transfersApi.readTransfer({ params: { transfer_id }, query: {} }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && data.completed_at === null ? LOOK_EVERY : false),
  })
  return (
    <Loaded query={query} height={320}>
      {(run) => (
        <>
          <PageHeader
            title={titleOf(visible(run.transfer_config_reference))}
            aside={<TransferState state={run.transfer_state} />}
            actions={<Acts run={run} />}
          />
          <Stack gap="lg">
            {run.error_message !== null && (
              <Alert color="red" icon={<Icon name="alert-circle" />} title={t`Nothing was put there`}>
                <Why message={run.error_message} />
              </Alert>
            )}
            <RunFacts run={run} />
            <Items run={run} />
          </Stack>
        </>
      )}
    </Loaded>
  )
}

function Acts({ run }: { run: TransferRunDetail }) {
  const { t } = useLingui()
  const params = { transfer_id: run.transfer_id }
  const mayRepeat = run.completed_at !== null && run.transfer_state !== 'Succeeded'
  return (
    <Group gap="xs">
      <Button
        variant="subtle"
        renderRoot={(props) => <Link {...props} to="/dashboard/account/transfers" search={{}} />}
      >
        <Trans>All transfers</Trans>
      </Button>
      {mayRepeat && (
        <ActButton
          action="transfers:run"
          icon="external"
          label={t`Send what failed again`}
          question={t`Send what failed again?`}
          done={t`It is on its way again`}
          onAct={() => transfersApi.runTransfer({ params, query: {} })}
        >
          <Trans>What was delivered is not sent twice.</Trans>
        </ActButton>
      )}
    </Group>
  )
}

function RunFacts({ run }: { run: TransferRunDetail }) {
  const { t, i18n } = useLingui()
  const { report_from, completed_at, scheduled_for } = run
  return (
    <Facts isPart title={t({ context: 'transfer', message: 'Run' })}>
      <Fact label={t`Configuration`}>
        <ConfigLink reference={run.transfer_config_reference} />
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'What' })}>
        <SpecWord value={run.transfer_type} words={TRANSFER_TYPE_WORDS} />
      </Fact>
      <Fact label={t`Processed from`}>
        {report_from === null ? t`the beginning` : <Time at={report_from} style="second" />}
      </Fact>
      <Fact label={t`Processed before`}>
        <Time at={run.report_to} style="second" />
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'Items' })}>{i18n.number(run.payload_count)}</Fact>
      <Fact label={t({ context: 'transfer', message: 'Delivered' })}>{i18n.number(run.succeeded_count)}</Fact>
      <Fact label={t({ context: 'transfer', message: 'Failed' })}>{i18n.number(run.failed_count)}</Fact>
      <Fact label={t({ context: 'transfer', message: 'Begun' })}>
        <Time at={run.created_at} style="second" /> · {visible(run.updated_by)}
      </Fact>
      <Fact label={t`Planned for`}>
        {scheduled_for !== null && <Time at={scheduled_for} style="second" />}
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'Ended' })}>
        {completed_at !== null && <Time at={completed_at} style="second" />}
      </Fact>
    </Facts>
  )
}

function ConfigLink({ reference }: { reference: string }) {
  if (!useMay()('transfer_configs:read')) return visible(reference)
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => (
        <Link {...props} to="/dashboard/account/transfers/config" search={{ reference }} />
      )}
    >
      {visible(reference)}
    </Anchor>
  )
}

/** The first items, those that failed before the others. */
function Items({ run }: { run: TransferRunDetail }) {
  const { transfers, payload_count, completed_at, error_message } = run
  const { t, i18n } = useLingui()
  // They are gathered once the run has begun, and where that failed there are none.
  if (transfers.length === 0 && (completed_at === null || error_message !== null)) return null
  if (transfers.length === 0)
    return (
      <EmptyState
        icon="external"
        title={t`Nothing was due`}
        description={t`Nothing that this configuration transfers was processed in this time.`}
      />
    )
  const [shown, all] = [i18n.number(transfers.length), i18n.number(payload_count)]
  return (
    <Stack gap="xs">
      {transfers.length < payload_count && (
        <Text size="sm" c="dimmed">
          <Trans>
            {shown} of {all}, those that failed first
          </Trans>
        </Text>
      )}
      <DataTable
        caption={t({ context: 'transfer', message: 'Items' })}
        rows={transfers}
        keyOf={(row) => row.item}
        columns={[
          {
            id: 'item',
            label: t({ context: 'transfer', message: 'Item' }),
            cell: (row) => <Code>{visible(row.item)}</Code>,
          },
          { id: 'state', label: t`State`, cell: (row) => <TransferState state={row.transfer_state} /> },
          {
            id: 'path',
            label: t`Put at`,
            cell: (row) => <span style={{ overflowWrap: 'anywhere' }}>{visible(row.dest_path ?? '')}</span>,
          },
          {
            id: 'at',
            label: t({ context: 'transfer', message: 'Delivered' }),
            cell: (row) => row.transferred_at !== null && <Time at={row.transferred_at} style="second" />,
          },
        ]}
        details={(row) => <ItemDetails item={row} />}
      />
    </Stack>
  )
}

/** Each attempt that failed, and the checksums of what lies there. */
function ItemDetails({ item }: { item: TransferItem }) {
  const { t } = useLingui()
  const failed = item.attempts.filter(({ error_message }) => error_message !== null)
  return (
    <Stack gap={4}>
      {failed.map((attempt) => (
        <Text size="sm" key={`${attempt.attempted_at} ${attempt.error_message}`}>
          <Time at={attempt.attempted_at} style="second" /> · <Why message={attempt.error_message ?? ''} />
        </Text>
      ))}
      {item.encrypted_checksum !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t`SHA-256 of the file`}: {item.encrypted_checksum}
          {item.decrypted_checksum !== null && ` · ${t`of what is in it`}: ${item.decrypted_checksum}`}
        </Text>
      )}
    </Stack>
  )
}

/** Why something failed: in the reader's language, as far as it is one of the known causes. */
export function Why({ message }: { message: string }) {
  const { i18n } = useLingui()
  return <span title={visible(message)}>{whyText(i18n, message)}</span>
}

function whyText(i18n: I18n, message: string): string {
  const [code = ''] = message.split(/[:\s]/, 1)
  return code in TRANSFER_PROBLEM_WORDS
    ? i18n._(TRANSFER_PROBLEM_WORDS[code as TransferProblem])
    : visible(message)
}
