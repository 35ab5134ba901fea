import type { TransferConfigDetail, TransferRun } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { getKey, repeatedQuery } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { GroupSample } from '../../components/names.tsx'
import {
  getTarget,
  TRANSFER_FORMAT_WORDS,
  TRANSFER_TYPE_WORDS,
} from '../../components/transfers/transfer-words.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { Sentence } from '../activities/sentence.tsx'
import { LOOK_EVERY } from './run-items.tsx'
import { FailureReason, ScheduleWords, TransferState } from './transfer-state.tsx'

/** Runs and changes shown on the page of a config. */
const SHOWN = 5

const runsQuery = (transfer_config_reference: string) =>
  repeatedQuery(transfersApi, 'listTransfers', { query: { transfer_config_reference, limit: SHOWN } })

/** Health, next run and content of a config, with its last runs. */
export function ConfigOverview({ config }: { config: TransferConfigDetail }) {
  const { t } = useLingui()
  const mayList = useMay()('transfers:list')
  const query = useQuery({
    ...runsQuery(config.transfer_config_reference),
    enabled: mayList,
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ completed_at }) => completed_at === null) ? LOOK_EVERY : false,
  })
  const runs = query.data?.data
  return (
    <Stack mb="md">
      <Paper p="md">
        <ConfigFacts config={config} last={runs?.[0]} />
      </Paper>
      {mayList && (
        <Paper p="md" component="section" aria-labelledby="last-runs">
          <Group justify="space-between" mb="xs">
            <Title order={2} size="h4" id="last-runs">
              <Trans>Last runs</Trans>
            </Title>
            <LinkAnchor
              size="sm"
              to="/dashboard/account/transfers"
              search={{ transfer_config_reference: config.transfer_config_reference } as never}
            >
              <Trans>All runs</Trans>
            </LinkAnchor>
          </Group>
          <QueryResult query={{ ...query, data: runs }} rows={2}>
            {(rows) =>
              rows.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {t`No runs yet`}
                </Text>
              ) : (
                <Runs runs={rows} />
              )
            }
          </QueryResult>
        </Paper>
      )}
    </Stack>
  )
}

function ConfigFacts({ config, last }: { config: TransferConfigDetail; last: TransferRun | undefined }) {
  const { t, i18n } = useLingui()
  const { transfer_type, payload_types, reached_groups, role_reference, next_runs, is_active } = config
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  const [next] = next_runs
  return (
    <Facts>
      <Fact label={t`Last run`}>
        {last && (
          <Group gap="xs">
            <TransferState state={last.transfer_state} />
            <Time at={last.created_at} />
            {last.error_message !== null && <FailureReason message={last.error_message} />}
          </Group>
        )}
      </Fact>
      <Fact label={t`Next run`}>
        {!is_active ? (
          <Trans>None: switched off</Trans>
        ) : next === undefined ? (
          <Trans>On demand</Trans>
        ) : (
          <Time at={next} />
        )}
      </Fact>
      <Fact label={t`Schedule`}>
        <ScheduleWords schedule={config.schedule} />
      </Fact>
      <Fact label={t`What leaves`}>
        <span>
          {i18n._(TRANSFER_TYPE_WORDS[transfer_type])}:{' '}
          {list.format(payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])))}
        </span>
      </Fact>
      <Fact label={t`Of`}>
        {role_reference === null ? (
          <Trans>Nothing: no role is set</Trans>
        ) : (
          <span>
            <GroupSample sample={reached_groups} /> ({visible(role_reference)})
          </span>
        )}
      </Fact>
      <Fact label={t`Format`}>{i18n._(TRANSFER_FORMAT_WORDS[config.transfer_file_format])}</Fact>
      <Fact label={t`Target`}>{visible(getTarget(config.params))}</Fact>
    </Facts>
  )
}

function Runs({ runs }: { runs: readonly TransferRun[] }) {
  const { t } = useLingui()
  return (
    <DataTable
      caption={t`Last runs`}
      rows={runs}
      getKey={({ transfer_id }) => transfer_id}
      columns={[
        {
          label: t({ context: 'transfer', message: 'Started' }),
          cell: ({ transfer_id, created_at }) => (
            <LinkAnchor to="/dashboard/account/transfers/$transfer_id" params={{ transfer_id }}>
              <Time at={created_at} />
            </LinkAnchor>
          ),
        },
        { label: t`State`, cell: ({ transfer_state }) => <TransferState state={transfer_state} /> },
        { label: t({ context: 'transfer', message: 'Items' }), count: ({ payload_count }) => payload_count },
        { label: t({ context: 'transfer', message: 'Failed' }), count: ({ failed_count }) => failed_count },
      ]}
    />
  )
}

/** Who changed the config, newest first. */
export function ConfigHistory({ reference }: { reference: string }) {
  const { data } = useQuery({
    queryKey: getKey('listActivities', 'of config', reference),
    queryFn: ({ signal }) =>
      api.listActivities(
        {
          query: {
            actions: ['transfer_configs:create', 'transfer_configs:update'],
            search: JSON.stringify({ transfer_config_reference: reference }).slice(1, -1),
            is_allowed: true,
            limit: SHOWN,
          },
        },
        { signal },
      ),
    enabled: useMay()('activities:list'),
  })
  if (data === undefined || data.data.length === 0) return null
  return (
    <Paper p="md" mt="md" component="section" aria-labelledby="config-history">
      <Title order={2} size="h4" id="config-history" mb="xs">
        <Trans>Changes</Trans>
      </Title>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.data.map((row) => (
          <li key={row.log_id}>
            <Text span size="sm" c="dimmed">
              <Time at={row.activity_time} />
            </Text>{' '}
            <Sentence row={row} />
          </li>
        ))}
      </Stack>
    </Paper>
  )
}
