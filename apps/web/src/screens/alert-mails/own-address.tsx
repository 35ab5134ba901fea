import { type AlertSubscription, Email, type Locale } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { alertMailsApi } from '../../api/alert-mails-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'

/** An e-mail address other than the sign-in's, confirmed with a mailed code. */
export function OwnAddress({ subscription: { check } }: { subscription: AlertSubscription }) {
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
