import {
  MAIL_FREQUENCIES,
  type MailFrequency,
  type AlertSeverity,
  type AlertSubscription,
  type AlertSubscriptionInput,
  type Locale,
  LOCALES,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { alertMailsApi } from '../../api/alerting-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { LANGUAGE_NAMES } from '../../components/frame/frame-parts.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { wordOptions, type Words } from '../../components/words/spec-word.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { visible } from '../../ui/visible.ts'

const FREQUENCY_WORDS: Words<MailFrequency> = {
  never: msg({ context: 'alerts by e-mail', message: 'Never' }),
  daily: msg({ context: 'alerts by e-mail', message: 'Once a day' }),
  at_once: msg({ context: 'alerts by e-mail', message: 'Immediately' }),
}
const useFrequencies = wordOptions(FREQUENCY_WORDS, MAIL_FREQUENCIES)
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00 UTC`,
}))
const SEVERITIES = [
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
] as const
const USUAL = {
  low: 'never',
  medium: 'daily',
  high: 'at_once',
  digest_hour: 6,
  address_source: 'claimed',
} as const

/** Settings: alerts, delay, language and address. They are read once: the page asks again every few seconds. */
export function SettingsForm({ subscription }: { subscription: AlertSubscription }) {
  const [start, setStart] = useState(subscription)
  return <Fields key={start.version} start={start} subscription={subscription} onSaved={setStart} />
}

function useSeverityLabel() {
  const { t, i18n } = useLingui()
  return (severity: AlertSeverity) => {
    const word = i18n._(ALERT_SEVERITY_WORDS[severity])
    return t`Severity: ${word}`
  }
}

function useSettingsForm(start: AlertSubscription, onSaved: (saved: AlertSubscription) => void) {
  const { t, i18n } = useLingui()
  const severityLabel = useSeverityLabel()
  const frequencyText = (frequency: MailFrequency) => i18n._(FREQUENCY_WORDS[frequency])
  const getDraft = ({ settings }: AlertSubscription): AlertSubscriptionInput =>
    settings ?? { ...USUAL, language: i18n.locale as Locale }
  return useForm<AlertSubscriptionInput, AlertSubscription>({
    initial: getDraft(start),
    stored: getStored(start, () => alertMailsApi.readAlertSubscription({ query: {} }), getDraft),
    labels: {
      ...Object.fromEntries(SEVERITIES.map(([name, severity]) => [name, severityLabel(severity)])),
      digest_hour: t`Time of the daily email`,
      language: t`Email language`,
      address_source: t`Send to`,
    },
    texts: {
      ...Object.fromEntries(SEVERITIES.map(([name]) => [name, frequencyText])),
      digest_hour: (hour: number) => HOURS[hour]?.label ?? '',
      language: (language: Locale) => LANGUAGE_NAMES[language],
    },
    save: (body, version) => alertMailsApi.saveAlertSubscription({ query: {}, body }, { if_match: version }),
    onSaved: (saved) => {
      noticeDone(t`Email alerts saved`)
      onSaved(saved)
    },
  })
}

function Fields({
  start,
  subscription: { claimed_address, confirmed_address },
  onSaved,
}: {
  start: AlertSubscription
  subscription: AlertSubscription
  onSaved: (saved: AlertSubscription) => void
}) {
  const { t } = useLingui()
  const efforts = useFrequencies()
  const severityLabel = useSeverityLabel()
  const form = useSettingsForm(start, onSaved)
  const { set, values } = form
  return (
    <ShortForm form={form} save={<Trans>Save</Trans>}>
      {SEVERITIES.map(([name, severity]) => (
        <Select
          comboboxProps={{ withinPortal: true }}
          key={name}
          label={severityLabel(severity)}
          data={efforts}
          value={values[name]}
          onChange={(next) => next !== null && set({ [name]: next as MailFrequency })}
          allowDeselect={false}
        />
      ))}
      <Select
        comboboxProps={{ withinPortal: true }}
        label={t`Time of the daily email`}
        data={HOURS}
        value={String(values.digest_hour)}
        onChange={(next) => next !== null && set({ digest_hour: Number(next) })}
        allowDeselect={false}
      />
      <Select
        comboboxProps={{ withinPortal: true }}
        label={t`Email language`}
        data={LOCALES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={values.language}
        onChange={(next) => next !== null && set({ language: next as Locale })}
        allowDeselect={false}
      />
      <Radio.Group
        label={t`Send to`}
        value={values.address_source}
        onChange={(next) => set({ address_source: next as AlertSubscriptionInput['address_source'] })}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="claimed"
            disabled={claimed_address === null}
            label={claimed_address === null ? t`Your sign-in has no email address` : visible(claimed_address)}
            description={claimed_address !== null && t`From your sign-in; later changes there do not apply`}
          />
          {confirmed_address !== null && (
            <Radio value="confirmed" label={visible(confirmed_address)} description={t`Confirmed by you`} />
          )}
        </Stack>
      </Radio.Group>
    </ShortForm>
  )
}
