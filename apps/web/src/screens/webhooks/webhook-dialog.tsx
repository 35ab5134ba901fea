import {
  ALERT_SCOPES,
  ALERT_SEVERITIES,
  type AlertScope,
  type AlertSeverity,
  type AlertWebhook,
  WebhookInput,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Code, Group, MultiSelect, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { webhooksApi } from '../../api/alerting-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { ALERT_SCOPE_WORDS, ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'

const useScopes = wordOptions(ALERT_SCOPE_WORDS, ALERT_SCOPES)
const useSeverities = wordOptions(ALERT_SEVERITY_WORDS, ALERT_SEVERITIES)

const NEW: WebhookInput = {
  description: '',
  url: 'https://',
  alert_scopes: ['ops'],
  min_severity: 'Low',
  is_active: true,
}

const getDraft = ({
  description,
  url,
  alert_scopes,
  min_severity,
  is_active,
}: AlertWebhook): WebhookInput => ({
  description,
  url,
  alert_scopes,
  min_severity,
  is_active,
})

async function readNewest({ webhook_reference }: AlertWebhook): Promise<AlertWebhook> {
  const { data } = await webhooksApi.listAlertWebhooks({ query: {} })
  const found = data.find((each) => each.webhook_reference === webhook_reference)
  if (found === undefined) throw new Error(`no webhook ${webhook_reference}`)
  return found
}

/** Creates a webhook and shows its secret once; or edits one. */
export function WebhookDialog({ webhook, onClose }: { webhook?: AlertWebhook; onClose: () => void }) {
  const { t } = useLingui()
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog title={webhook ? t`Edit the webhook` : t`Add a webhook`} size="lg" onClose={onClose}>
      {secret === undefined ? (
        <Fields webhook={webhook} onSecret={setSecret} onClose={onClose} />
      ) : (
        <Stack>
          <Text fw={600}>
            <Trans>Shown once: copy the signing secret now.</Trans>
          </Text>
          <Code block data-secret style={{ overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <Group justify="flex-end">
            <Button onClick={onClose}>
              <Trans>Done</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

function Fields({
  webhook,
  onSecret,
  onClose,
}: {
  webhook: AlertWebhook | undefined
  onSecret: (secret: string) => void
  onClose: () => void
}) {
  const { t, i18n } = useLingui()
  const form = useForm<WebhookInput, string | null>({
    initial: webhook ? getDraft(webhook) : NEW,
    stored: getStored(webhook, webhook && (() => readNewest(webhook)), getDraft),
    texts: {
      alert_scopes: (scopes: readonly AlertScope[]) =>
        scopes.map((scope) => i18n._(ALERT_SCOPE_WORDS[scope])).join(', '),
      min_severity: (severity: AlertSeverity) => i18n._(ALERT_SEVERITY_WORDS[severity]),
    },
    labels: {
      description: t`Name`,
      url: t({ context: 'webhook', message: 'Address' }),
      alert_scopes: t`Kinds of alerts`,
      min_severity: t`From severity`,
      is_active: t`Enabled`,
    },
    check: (values) => shapeFaults(WebhookInput, values),
    save: async (body, version) => {
      if (!webhook) return (await webhooksApi.createAlertWebhook({ query: {}, body })).secret
      const params = { webhook_reference: webhook.webhook_reference }
      await webhooksApi.updateAlertWebhook({ params, query: {}, body }, { if_match: version })
      return null
    },
    onSaved: (secret) => {
      if (secret !== null) return onSecret(secret)
      noticeDone(t`Webhook saved`)
      onClose()
    },
  })
  const { errorAt, field, flag, set, values } = form
  return (
    <ShortForm form={form} save={<Trans>Save</Trans>} onCancel={onClose}>
      <TextInput label={t`Name`} required data-autofocus {...field('description')} />
      <TextInput
        label={t({ context: 'webhook', message: 'Address' })}
        description={t`Public https address without redirects`}
        required
        {...field('url')}
      />
      <MultiSelect
        comboboxProps={{ withinPortal: true }}
        label={t`Kinds of alerts`}
        required
        data={useScopes()}
        value={values.alert_scopes}
        onChange={(next) => set({ alert_scopes: next as AlertScope[] })}
        error={errorAt('alert_scopes')}
      />
      <Select
        comboboxProps={{ withinPortal: true }}
        label={t`From severity`}
        data={useSeverities()}
        value={values.min_severity}
        onChange={(next) => next !== null && set({ min_severity: next as AlertSeverity })}
        allowDeselect={false}
      />
      <Switch label={t`Enabled`} {...flag('is_active')} />
    </ShortForm>
  )
}
