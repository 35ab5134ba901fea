import type { TransferRunDetail } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { repeatedQuery } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { LEFT_OUT_WORDS, TRANSFER_TYPE_WORDS } from '../../components/transfers/transfer-words.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { LOOK_EVERY, RunItems } from './run-items.tsx'
import { TransferState, FailureReason } from './transfer-state.tsx'

const route = getRouteApi('/dashboard/account/transfers/$transfer_id')

/** `/dashboard/account/transfers/{transfer_id}`: one run with its items and failures. */
export default function RunPage() {
  const { transfer_id } = route.useParams()
  const { t } = useLingui()
  const getTitle = (config: string) => t`Transfer of ${config}`
  const query = useQuery({
    ...repeatedQuery(transfersApi, 'readTransfer', { params: { transfer_id } }),
    refetchInterval: ({ state: { data } }) => (data && data.completed_at === null ? LOOK_EVERY : false),
  })
  return (
    <RecordPage
      query={query}
      title={t({ context: 'transfer', message: 'Run' })}
      back={{ to: '/dashboard/account/transfers', search: {} }}
      backLabel={t`All transfers`}
    >
      {(run) => (
        <>
          <PageHeader
            title={getTitle(visible(run.transfer_config_reference))}
            aside={<TransferState state={run.transfer_state} />}
            actions={<Acts run={run} />}
          />
          <Stack gap="lg">
            {run.error_message !== null && (
              <Alert color="red" icon={<Icon name="alert-circle" />} title={t`No files stored`}>
                <FailureReason message={run.error_message} />
                {run.error_message.startsWith('host_key_') && (
                  <Text size="sm" mt={4}>
                    <Trans>Run the test on the configuration page to see both keys.</Trans>
                  </Text>
                )}
              </Alert>
            )}
            <PageBody>
              <RunFacts run={run} />
              <LeftOutItems run={run} />
            </PageBody>
            <RunItems run={run} />
          </Stack>
        </>
      )}
    </RecordPage>
  )
}

function Acts({ run }: { run: TransferRunDetail }) {
  const { t } = useLingui()
  const params = { transfer_id: run.transfer_id }
  const mayRepeat = run.completed_at !== null && run.transfer_state !== 'Succeeded'
  return (
    <Group gap="xs">
      {mayRepeat && (
        <ActButton
          action="transfers:run"
          icon="external"
          label={t`Send failed items again`}
          question={t`Send failed items again?`}
          done={t`Sending again`}
          onAct={() => transfersApi.runTransfer({ params, query: {} })}
        >
          <Trans>Delivered items are not sent again.</Trans>
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
        <TextLink
          action="transfer_configs:read"
          to="/dashboard/account/transfers/config"
          search={{ reference: run.transfer_config_reference }}
        >
          {visible(run.transfer_config_reference)}
        </TextLink>
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'What' })}>
        <SpecWord value={run.transfer_type} words={TRANSFER_TYPE_WORDS} />
      </Fact>
      <Fact label={t`Role`}>{run.role_reference !== null && visible(run.role_reference)}</Fact>
      <Fact label={t`Processed from`}>
        {report_from === null ? t`the beginning` : <Time at={report_from} style="second" />}
      </Fact>
      <Fact label={t`Processed before`}>
        <Time at={run.report_to} style="second" />
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'Items' })}>{i18n.number(run.payload_count)}</Fact>
      <Fact label={t({ context: 'items of a transfer', message: 'Delivered' })}>
        {i18n.number(run.succeeded_count)}
      </Fact>
      <Fact label={t({ context: 'items of a transfer', message: 'Failed' })}>
        {i18n.number(run.failed_count)}
      </Fact>
      <Fact label={t({ context: 'transfer', message: 'Started' })}>
        <Time at={run.created_at} style="second" /> · {authorName(run, 'updated_by')}
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

/** Recordings of the period that the run's role excludes. */
function LeftOutItems({ run: { left_out } }: { run: TransferRunDetail }) {
  const { t, i18n } = useLingui()
  if (left_out.length === 0) return null
  return (
    <Facts isPart title={t`Not delivered`}>
      {left_out.map(({ reason, payload_type, count }) => (
        <Fact key={`${reason} ${payload_type}`} label={i18n._(LEFT_OUT_WORDS[reason])}>
          {i18n.number(count)} · {i18n._(PAYLOAD_TYPE_WORDS[payload_type])}
        </Fact>
      ))}
    </Facts>
  )
}
