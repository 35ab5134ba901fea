import { ApiProblem } from '@custodia/client'
import type { ClientAlert } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { ALERT_SCOPE_WORDS, ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { AlertStateMark, Severity } from './alert-cells.tsx'
import { alertTexts, occurrenceText } from './alert-texts.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { useClientName } from '../../components/clients/use-client-options.ts'
import { fromAlertKey } from './alert-key.ts'
import { BulkAlertActions } from './bulk-alert-actions.tsx'

/** An alert of a client: at once from the row, with its occurrences as soon as they are read. */
export default function ClientAlertPreview({
  rowKey,
  row,
}: {
  rowKey: string
  row: ClientAlert | undefined
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const clientName = useClientName()
  const params = fromAlertKey(rowKey)
  const { data, error, refetch } = useQuery({
    queryKey: keyOf('readAlertOfClient', rowKey),
    queryFn: ({ signal }) => {
      // No alert has such a key: the server need not be asked.
      if (params === undefined) throw new ApiProblem(404, {})
      return internalApi.readAlertOfClient({ params }, { signal })
    },
    enabled: may('internal.alerts:read'),
  })
  const alert = data ?? row
  if (alert === undefined)
    return error === null ? (
      <Skeleton h={280} aria-busy />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    )
  const told = alertTexts(alert)
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Severity severity={alert.alert_severity} />
        <AlertStateMark state={alert.alert_state} />
      </Group>
      <div>
        <Title order={3}>{told.subject}</Title>
        <Text style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{told.message}</Text>
      </div>
      <Facts title={t`What`}>
        <Fact label={t`Client`}>{params && clientName(params.client)}</Fact>
        <Fact label={t`Type`}>
          <SpecWord value={alert.alert_type} words={ALERT_TYPE_WORDS} />
        </Fact>
        <Fact label={t`Scope`}>
          <SpecWord value={alert.alert_scope} words={ALERT_SCOPE_WORDS} />
        </Fact>
        <Fact label={t`Reference`}>
          <Reference value={alert.alert_reference} length={20} />
        </Fact>
      </Facts>
      <Facts title={t`When`}>
        <Fact label={t`Last occurrence`}>
          <Time at={alert.last_occurrence} style="second" />
        </Fact>
        <Fact label={t`First occurrence`}>
          <Time at={alert.first_occurrence} style="second" />
        </Fact>
        <Fact label={t`Occurrences`}>{i18n.number(alert.occurrence_count)}</Fact>
        <Fact label={t`Shown until`}>
          {alert.expires_after === null ? undefined : <Time at={alert.expires_after} />}
        </Fact>
      </Facts>
      {alert.cleared_at !== null && (
        <Facts title={t`Cleared`}>
          <Fact label={t`When`}>
            <Time at={alert.cleared_at} style="second" />
          </Fact>
          <Fact label={t`By`}>{alert.cleared_by}</Fact>
          <Fact label={t`Reason`}>{alert.cleared_reason}</Fact>
        </Facts>
      )}
      {alertObstacle(alert) === undefined && (
        <Group gap="xs">
          <BulkAlertActions keys={[rowKey]} onDone={() => void refetch()} />
        </Group>
      )}
      {data !== undefined && data.occurrences.length > 0 && (
        <Facts title={t`Latest occurrences`}>
          {data.occurrences
            .toReversed()
            .slice(0, 20)
            .map((occurrence, index) => (
              <div key={index}>
                <Text size="sm" c="dimmed">
                  <Time at={occurrence.time} style="second" />
                </Text>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {occurrenceText(occurrence)}
                </Text>
              </div>
            ))}
        </Facts>
      )}
      {error !== null && <Trans>More facts could not be loaded.</Trans>}
    </Stack>
  )
}
