import type { AlertDelivery, AlertWebhook, DeliveryState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { webhooksApi } from '../../api/alerting-api.ts'
import { repeatedQuery } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { SpecWord, type Words } from '../../components/words/spec-word.tsx'
import { ActButton, DeleteButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

/** Poll interval of deliveries, in milliseconds. */
const LOOK_EVERY = 5000

/** `/dashboard/account/webhooks`: the account's servers that receive alerts. */
export default function Webhooks() {
  const { t } = useLingui()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({
    ...repeatedQuery(webhooksApi, 'listAlertWebhooks'),
    refetchInterval: LOOK_EVERY,
  })
  return (
    <>
      <PageHeader
        title={t`Webhooks`}
        description={t`Your servers receive each alert’s type, severity, time and link, without names, numbers or content.`}
        actions={
          <MayButton
            action="account.webhooks:create"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setAdding(true)}
          >
            <Trans>Add a webhook</Trans>
          </MayButton>
        }
      />
      <QueryResult query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon="bell"
              title={t`No webhooks yet`}
              description={t`Alerts appear only in this portal.`}
            />
          ) : (
            <Stack>
              {data.map((webhook) => (
                <WebhookCard key={webhook.webhook_reference} webhook={webhook} />
              ))}
            </Stack>
          )
        }
      </QueryResult>
      {isAdding && <WebhookDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function WebhookCard({ webhook }: { webhook: AlertWebhook }) {
  const { t, i18n } = useLingui()
  const [isEditing, setEditing] = useState(false)
  const { webhook_reference, description, url, alert_scopes, min_severity, is_active, waiting, dead } =
    webhook
  const params = { webhook_reference }
  const scopes = alert_scopes.map((scope) => i18n._(ALERT_SCOPE_WORDS[scope])).join(', ')
  const severity = i18n._(ALERT_SEVERITY_WORDS[min_severity])
  return (
    <Card component="section" withBorder aria-label={visible(description)}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {visible(description)}
          </Title>
          <Group gap="xs">
            <Badge color={is_active ? 'green' : 'gray'}>
              {is_active
                ? t({ context: 'webhook', message: 'On' })
                : t({ context: 'webhook', message: 'Off' })}
            </Badge>
            {waiting > 0 && <Badge color="blue">{t`Waiting: ${waiting}`}</Badge>}
            {dead > 0 && <Badge color="red">{t`Failed: ${dead}`}</Badge>}
          </Group>
        </Group>
        <Code style={{ overflowWrap: 'anywhere' }}>{visible(url)}</Code>
        <Text size="sm">{t`${scopes} · from severity ${severity}`}</Text>
        <Group gap="xs">
          <ActButton
            action="account.webhooks:test"
            icon="message"
            label={t`Send a test`}
            question={t`Send a test to this webhook?`}
            done={t`Test in progress`}
            onAct={() => webhooksApi.testAlertWebhook({ params, query: {} })}
          >
            <Trans>Signed like an alert. The result appears under deliveries.</Trans>
          </ActButton>
          <MayButton
            action="account.webhooks:update"
            variant="default"
            leftSection={<Icon name="pencil" size={16} />}
            onClick={() => setEditing(true)}
          >
            <Trans>Edit</Trans>
          </MayButton>
          <DeleteButton
            action="account.webhooks:delete"
            question={t`Delete this webhook?`}
            done={t`Webhook deleted`}
            onDelete={() => webhooksApi.deleteAlertWebhook({ params, query: {} })}
            onDeleted={() => undefined}
          >
            <Trans>Pending deliveries are deleted. The alerts stay.</Trans>
          </DeleteButton>
        </Group>
        <Deliveries webhook_reference={webhook_reference} name={visible(description)} />
      </Stack>
      {isEditing && <WebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
    </Card>
  )
}

const STATE_WORDS: Words<DeliveryState> = {
  waiting: msg({ context: 'delivery', message: 'Waiting' }),
  delivered: msg({ context: 'delivery', message: 'Delivered' }),
  dead: msg({ context: 'delivery', message: 'Failed' }),
}
const STATE_COLOURS = { waiting: 'blue', delivered: 'green', dead: 'red' } as const

/** Deliveries shown at first, in addition to failed ones, so that the page stays short on a phone. */
const FIRST = 5

/** Last deliveries of a webhook, failures, and manual retries. */
function Deliveries({ webhook_reference, name }: { webhook_reference: string; name: string }) {
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
    <QueryResult query={query} rows={2}>
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
              getKey={(row) => row.delivery_reference}
              columns={[
                { label: t`Alert`, cell: (row) => <DeliverySubject delivery={row} /> },
                { label: t`State`, cell: (row) => <DeliveryResult delivery={row} /> },
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
    </QueryResult>
  )
}

const isDead = ({ delivery_state }: AlertDelivery) => delivery_state === 'dead'

function DeliverySubject({ delivery }: { delivery: AlertDelivery }) {
  const may = useMay()
  if (delivery.alert_reference === null) return <Trans context="delivery">Test</Trans>
  const what = (
    <>
      <SpecWord value={delivery.alert_type} words={ALERT_TYPE_WORDS} /> ·{' '}
      <SpecWord value={delivery.alert_severity} words={ALERT_SEVERITY_WORDS} />
    </>
  )
  if (!may('alerts:read')) return what
  // The delivery names neither person nor device: the alert does.
  return (
    <LinkAnchor to="/dashboard/account/alerts" search={{ preview: delivery.alert_reference }}>
      {what}
    </LinkAnchor>
  )
}

/** Outcome, with problems. */
function DeliveryResult({ delivery: { delivery_state, attempts, last_error } }: { delivery: AlertDelivery }) {
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
