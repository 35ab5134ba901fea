import { type AlertSubscription, Email, type Locale } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { alertMailsApi } from '../../api/alerting-api.ts'
import { repeatedQuery } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { ActButton, DeleteButton } from '../../ui/act-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { SettingsForm } from './settings-form.tsx'

/** An e-mail address other than the sign-in's, confirmed with a mailed code. */
function OwnAddress({ subscription: { check } }: { subscription: AlertSubscription }) {
  const [isOpen, setOpen] = useState<'address' | 'code'>()
  const { t } = useLingui()
  const close = () => setOpen(undefined)
  return (
    <>
      {check && (
        <Alert color="blue" icon={<Icon name="info" />} title={visible(check.address)}>
          <Stack gap="xs" align="flex-start">
            {check.state === 'failed' ? (
              <Text size="sm">
                <Trans>
                  The code was not sent: the mail server reports <Code>{check.last_error}</Code>.
                </Trans>
              </Text>
            ) : (
              <Text size="sm">
                {check.state === 'sent' ? (
                  <Trans>A code was sent. Enter it to confirm this address.</Trans>
                ) : (
                  <Trans>A code is on its way. Enter it to confirm this address.</Trans>
                )}
              </Text>
            )}
            {check.state !== 'failed' && (
              <Button size="xs" onClick={() => setOpen('code')}>
                <Trans>Enter the code</Trans>
              </Button>
            )}
          </Stack>
        </Alert>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => setOpen('address')}
        >
          <Trans>Use another address</Trans>
        </Button>
      </Group>
      {isOpen === 'address' && (
        <Dialog title={t`Use another address`} onClose={close}>
          <AddressForm onDone={() => setOpen('code')} />
        </Dialog>
      )}
      {isOpen === 'code' && (
        <Dialog title={t`Enter the code`} onClose={close}>
          <CodeForm onDone={close} />
        </Dialog>
      )}
    </>
  )
}

function AddressForm({ onDone }: { onDone: () => void }) {
  const { t, i18n } = useLingui()
  const form = useForm({
    initial: { address: '' },
    labels: { address: t`Email address` },
    check: ({ address }) => shapeFaults(Email, address, 'address'),
    save: ({ address }) =>
      alertMailsApi.checkAlertAddress({
        query: {},
        body: { address, language: i18n.locale as Locale },
      }),
    onSaved: onDone,
  })
  return (
    <ShortForm form={form} save={t`Send a code`}>
      <TextInput
        label={t`Email address`}
        description={t`A code is sent there, at most five times a day.`}
        type="email"
        required
        data-autofocus
        {...form.field('address')}
      />
    </ShortForm>
  )
}

function CodeForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui()
  const form = useForm({
    initial: { code: '' },
    labels: { code: t`Code` },
    save: (body) => alertMailsApi.confirmAlertAddress({ query: {}, body }),
    onSaved: () => {
      noticeDone(t`Address confirmed`)
      onDone()
    },
  })
  return (
    <ShortForm form={form} save={t({ context: 'address', message: 'Confirm' })}>
      <TextInput
        label={t`Code`}
        description={t`Eight digits; valid for one hour and five attempts`}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        data-autofocus
        {...form.field('code')}
      />
    </ShortForm>
  )
}

/** Poll interval of the mails' state, in milliseconds. */
const LOOK_EVERY = 5000

/** `/dashboard/account/alert-mails`: the user's alert e-mails and their address. */
export default function AlertMails() {
  const { t } = useLingui()
  const query = useQuery({
    ...repeatedQuery(alertMailsApi, 'readAlertSubscription'),
    refetchInterval: LOOK_EVERY,
  })
  return (
    <>
      <PageHeader
        title={t`Email alerts`}
        description={t`You receive each alert’s severity, type and link, without names, numbers or content.`}
      />
      <QueryResult query={query}>
        {(subscription) =>
          subscription.can_send ? (
            <Stack maw={640}>
              <DeliveryState subscription={subscription} />
              <OwnAddress subscription={subscription} />
              <Card withBorder>
                <SettingsForm key={String(subscription.confirmed_address)} subscription={subscription} />
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
      </QueryResult>
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
