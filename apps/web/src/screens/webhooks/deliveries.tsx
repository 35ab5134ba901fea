import type { AlertDelivery, DeliveryState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { repeatedQuery } from '../../api/call-keys.ts'
import { webhooksApi } from '../../api/alerting-api.ts'
import { ALERT_SEVERITY_WORDS, ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord, type Words } from '../../components/words/spec-word.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'

const STATE_WORDS: Words<DeliveryState> = {
  waiting: msg({ context: 'delivery', message: 'Waiting' }),
  delivered: msg({ context: 'delivery', message: 'Delivered' }),
  dead: msg({ context: 'delivery', message: 'Failed' }),
}
const STATE_COLOURS = { waiting: 'blue', delivered: 'green', dead: 'red' } as const

/** Deliveries shown at first, in addition to failed ones, so that the page stays short on a phone. */
const FIRST = 5

/** Last deliveries of a webhook, failures, and manual retries. */
export function Deliveries({ webhook_reference, name }: { webhook_reference: string; name: string }) {
  const { t } = useLingui()
  const [isAll, setAll] = useState(false)
  const query = useQuery({
    ...repeatedQuery(webhooksApi, 'listAlertDeliveries', {
      params: { webhook_reference },
      query: { limit: 20, type: 'page' },
    }),
    refetchInterval: 5000,
  })
  return (
    <Loaded query={query} rows={2}>
      {(page) => {
        const all = page.data
        const shown = isAll ? all : all.filter((row, i) => i < FIRST || isDead(row))
        if (all.length === 0)
          return (
            <Text size="sm" c="dimmed">
              <Trans>No deliveries yet.</Trans>
            </Text>
          )
        return (
          <Stack gap="xs">
            <DataTable<AlertDelivery>
              caption={t`Last deliveries: ${name}`}
              rows={shown}
              keyOf={(row) => row.delivery_reference}
              columns={[
                { label: t`Alert`, cell: (row) => <What delivery={row} /> },
                { label: t`State`, cell: (row) => <Stand delivery={row} /> },
                {
                  label: t`Last attempt`,
                  cell: (row) => (row.last_attempt_at === null ? '–' : <Time at={row.last_attempt_at} />),
                },
              ]}
              actions={
                shown.some(isDead)
                  ? (row) => isDead(row) && <SendAgain {...row} webhook_reference={webhook_reference} />
                  : undefined
              }
            />
            {shown.length < all.length && (
              <Group>
                <Button variant="default" size="xs" onClick={() => setAll(true)}>
                  <Trans>Show more</Trans>
                </Button>
              </Group>
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}

const isDead = ({ delivery_state }: AlertDelivery) => delivery_state === 'dead'

function What({ delivery }: { delivery: AlertDelivery }) {
  if (delivery.alert_reference === null) return <Trans context="delivery">Test</Trans>
  return (
    <>
      <SpecWord value={delivery.alert_type} words={ALERT_TYPE_WORDS} /> ·{' '}
      <SpecWord value={delivery.alert_severity} words={ALERT_SEVERITY_WORDS} />
    </>
  )
}

/** Outcome, with problems. */
function Stand({ delivery: { delivery_state, attempts, last_error } }: { delivery: AlertDelivery }) {
  const { t } = useLingui()
  return (
    <Group gap="xs">
      <Badge color={STATE_COLOURS[delivery_state]}>
        <SpecWord value={delivery_state} words={STATE_WORDS} />
      </Badge>
      {last_error !== null && <Code>{last_error}</Code>}
      {attempts > 1 && (
        <Text size="sm" c="dimmed">
          {t`Attempts: ${attempts}`}
        </Text>
      )}
    </Group>
  )
}

function SendAgain(params: Pick<AlertDelivery, 'delivery_reference'> & { webhook_reference: string }) {
  const { t } = useLingui()
  const { webhook_reference, delivery_reference } = params
  return (
    <ActButton
      action="account.webhooks:resend"
      icon="refresh"
      label={t`Send again`}
      question={t`Send this delivery again?`}
      done={t`Delivery in progress`}
      onAct={() =>
        webhooksApi.resendAlertDelivery({ params: { webhook_reference, delivery_reference }, query: {} })
      }
    >
      <Trans>It keeps its ID and gets all attempts again.</Trans>
    </ActButton>
  )
}
