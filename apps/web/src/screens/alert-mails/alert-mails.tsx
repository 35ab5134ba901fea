import type { AlertSubscription } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Card, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertMailsApi } from '../../api/alert-mails-api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { OwnAddress } from './own-address.tsx'
import { SettingsForm } from './settings-form.tsx'

/** Poll interval of the mails' state, in milliseconds. */
const LOOK_EVERY = 5000

/** `/dashboard/account/alert-mails`: the user's alert e-mails and their address. */
export default function AlertMails() {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: keyOf('readAlertSubscription'),
    queryFn: ({ signal }) => alertMailsApi.readAlertSubscription({ query: {} }, { signal }),
    refetchInterval: LOOK_EVERY,
  })
  return (
    <>
      <PageHeader
        title={t`Email alerts`}
        description={t`You receive each alert’s severity, type and link, without names, numbers or content.`}
      />
      <Loaded query={query}>
        {(subscription) =>
          subscription.can_send ? (
            <Stack maw={640}>
              <DeliveryState subscription={subscription} />
              <OwnAddress subscription={subscription} />
              <Card withBorder>
                <SettingsForm
                  key={String(subscription.settings?.address_source)}
                  subscription={subscription}
                />
              </Card>
              {subscription.settings && <Acts />}
            </Stack>
          ) : (
            <EmptyState
              icon="bell"
              title={t`Email not available`}
              description={t`This installation has no mail server. Ask its operator to set one up.`}
            />
          )
        }
      </Loaded>
    </>
  )
}

function DeliveryState({ subscription }: { subscription: AlertSubscription }) {
  const { t } = useLingui()
  const { settings, mailed_until, waiting, dead, last_attempt_at, last_error } = subscription
  if (!settings) return null
  return (
    <>
      {last_error !== null && (
        <Alert
          color="red"

          icon={<Icon name="alert-circle" />}
          title={t`The last email was not sent`}
        >
          <Trans>
            The mail server reports <Code>{last_error}</Code>. Pending emails are retried.
          </Trans>
        </Alert>
      )}
      <Facts title={t`Status`} isPart>
        <Fact label={t`Emails stop`}>
          {mailed_until === null ? (
            t`ended: sign in again`
          ) : (
            <>
              <Time at={mailed_until} style="day" /> <Trans>unless you sign in again</Trans>
            </>
          )}
        </Fact>
        <Fact label={t`Last email`}>{last_attempt_at !== null && <Time at={last_attempt_at} />}</Fact>
        <Fact label={t`Alerts awaiting email`}>{waiting > 0 && waiting}</Fact>
        <Fact label={t`Alerts without email delivery`}>{dead > 0 && dead}</Fact>
      </Facts>
    </>
  )
}

const Acts = () => {
  const { t } = useLingui()
  return (
    <Group gap="xs">
      <ActButton
        action="profile.alert_subscription:test"
        icon="message"
        label={t`Send a test`}
        question={t`Send yourself a test email?`}
        done={t`Test in progress`}
        onAct={() => alertMailsApi.testAlertSubscription({ query: {} })}
      >
        <Text size="sm">
          <Trans>It is sent like an alert, within 30 seconds.</Trans>
        </Text>
      </ActButton>
      <DeleteButton
        action="profile.alert_subscription:delete"
        question={t`End email alerts?`}
        done={t`Email alerts ended`}
        onDelete={() => alertMailsApi.deleteAlertSubscription({ query: {} })}
        onDeleted={() => undefined}
      >
        <Trans>Your choices and confirmed address are deleted.</Trans>
      </DeleteButton>
    </Group>
  )
}
