import { ALERT_SEVERITIES, type AlertScope, type AlertSeverity, Notification } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { MultiSelect, Radio, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useClientOptions } from '../../components/clients/clients.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { faultIfEmpty, shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'

interface Values {
  scope: AlertScope
  severity: AlertSeverity
  message: string
  /** Local time of a date input: `2026-11-21T18:00`; empty: until cleared. */
  expires_after: string
  audience: 'all' | 'some'
  clients: string[]
}

const useSeverities = wordOptions(ALERT_SEVERITY_WORDS, ALERT_SEVERITIES)

function useNotice(onClose: () => void) {
  const { t } = useLingui()
  return useForm({
    initial: {
      scope: 'ops',
      severity: 'Low',
      message: '',
      expires_after: '',
      audience: 'all',
      clients: [],
    } as Values,
    labels: {
      message: t`Message`,
      expires_after: t`Shown until`,
      clients: t`Clients`,
      scope: t`Scope`,
      severity: t`Severity`,
    },
    check: (values) => [
      ...shapeFaults(Notification, getBody(values)),
      ...(values.audience === 'some' && values.clients.length === 0 ? faultIfEmpty('clients', '') : []),
    ],
    save: (values) => internalApi.notifyClients({ body: getBody(values) }),
    onSaved: ({ clients: notified }) => {
      const count = notified.length
      noticeDone(t`Clients notified: ${count}`)
      onClose()
    },
  })
}

/** Sends a notice to all or some clients, shown among their alerts. */
export default function NotifyDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const clients = useClientOptions()
  const form = useNotice(onClose)
  const { scope, severity, audience } = form.values
  return (
    <FormDrawer title={t`Notify clients`} form={form} submitLabel={<Trans>Send</Trans>} onClose={onClose}>
      <Textarea
        label={t`Message`}
        required
        autosize
        minRows={4}
        maxLength={1000}
        data-autofocus
        {...form.field('message')}
      />
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          <Trans>Severity</Trans>
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t`Severity`}
          value={severity}
          onChange={(next) => form.set({ severity: next as AlertSeverity })}
          data={useSeverities()}
        />
      </Stack>
      <Radio.Group
        label={t`Scope`}
        value={scope}
        onChange={(next) => form.set({ scope: next === 'sec' ? 'sec' : 'ops' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="ops" label={t`Operational: for users who can read operational alerts`} />
          <Radio value="sec" label={t`Security: for users who can read security alerts`} />
        </Stack>
      </Radio.Group>
      <TextInput
        type="datetime-local"
        label={t`Shown until`}
        description={t`In your time zone. Empty: until the notice is cleared.`}
        {...form.field('expires_after')}
      />
      <Radio.Group
        label={t`Recipients`}
        value={audience}
        onChange={(next) => form.set({ audience: next === 'some' ? 'some' : 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t`All clients`} />
          <Radio value="some" label={t`Some clients`} />
        </Stack>
      </Radio.Group>
      {audience === 'some' && (
        <MultiSelect
          label={t`Clients`}
          required
          searchable
          data={clients}
          nothingFoundMessage={t`Nothing found`}
          {...form.field('clients')}
        />
      )}
    </FormDrawer>
  )
}

function getBody({ scope, severity, message, expires_after, audience, clients }: Values): Notification {
  return {
    scope,
    severity,
    message: message.trim(),
    expires_after: expires_after === '' ? null : Math.floor(Date.parse(expires_after) / 1000),
    ...(audience === 'some' && clients.length > 0 ? { clients } : {}),
  }
}
