import type { AlertDelivery, DeliveryState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { webhooksApi } from '../../api/webhooks-api.ts'
import { ALERT_SEVERITY_WORDS, ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord, type Words } from '../../components/words/spec-word.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'

const STATE_WORDS: Words<DeliveryState> = {
  waiting: msg({ context: 'delivery', message: 'Waiting' }),
  delivered: msg({ context: 'delivery', message: 'Delivered' }),
  dead: msg({ context: 'delivery', message: 'Given up' }),
}
const STATE_COLOURS = { waiting: 'blue', delivered: 'green', dead: 'red' } as const

/** The last deliveries of a webhook, what went wrong, and what can be sent again. */
export function Deliveries({ webhook_reference, name }: { webhook_reference: string; name: string }) {
  const { t } = useLingui()
  const params = { webhook_reference }
  const query = useQuery({
    queryKey: keyOf('listAlertDeliveries', webhook_reference),
    queryFn: ({ signal }) =>
      webhooksApi.listAlertDeliveries({ params, query: { limit: 20, type: 'page' } }, { signal }),
    refetchInterval: 5000,
  })
  return (
    <Loaded query={query} rows={2}>
      {(page) =>
        'data' in page && page.data.length > 0 ? (
          <DataTable<AlertDelivery>
            caption={t`Last deliveries: ${name}`}
            rows={page.data}
            keyOf={(row) => row.delivery_reference}
            columns={[
              {
                id: 'alert',
                label: t`Alert`,
                cell: (row) =>
                  row.alert_reference === null ? (
                    <Trans context="delivery">Test</Trans>
                  ) : (
                    <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />
                  ),
              },
              {
                id: 'severity',
                label: t`Severity`,
                cell: (row) => <SpecWord value={row.alert_severity} words={ALERT_SEVERITY_WORDS} />,
              },
              {
                id: 'state',
                label: t`State`,
                cell: (row) => (
                  <Badge color={STATE_COLOURS[row.delivery_state]}>
                    <SpecWord value={row.delivery_state} words={STATE_WORDS} />
                  </Badge>
                ),
              },
              { id: 'attempts', label: t`Attempts`, align: 'end', cell: (row) => row.attempts },
              {
                id: 'tried',
                label: t`Last attempt`,
                cell: (row) => (row.last_attempt_at === null ? '–' : <Time at={row.last_attempt_at} />),
              },
              {
                id: 'error',
                label: t`What went wrong`,
                cell: (row) => (row.last_error === null ? '–' : <Code>{row.last_error}</Code>),
              },
            ]}
            actions={(row) =>
              row.delivery_state === 'dead' && (
                <ActButton
                  action="account.webhooks:resend"
                  icon="refresh"
                  label={t`Send again`}
                  question={t`Send this delivery again?`}
                  done={t`Delivery is on its way`}
                  onAct={() =>
                    webhooksApi.resendAlertDelivery({
                      params: { ...params, delivery_reference: row.delivery_reference },
                      query: {},
                    })
                  }
                >
                  <Trans>It goes under the same id and is tried as often as at first.</Trans>
                </ActButton>
              )
            }
          />
        ) : (
          <Text size="sm" c="dimmed">
            <Trans>Nothing was sent yet.</Trans>
          </Text>
        )
      }
    </Loaded>
  )
}
