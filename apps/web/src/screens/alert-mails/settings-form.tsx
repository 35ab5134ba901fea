import {
  MAIL_FREQUENCIES,
  type MailFrequency,
  type AlertSubscription,
  type AlertSubscriptionInput,
  type Locale,
  LOCALES,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Select, Stack } from '@mantine/core'
import { alertMailsApi } from '../../api/alerting-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { LANGUAGE_NAMES } from '../../components/frame/frame-parts.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { wordOptions, type Words } from '../../components/words/spec-word.tsx'
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

/** Settings: alerts, delay, language and address. */
export function SettingsForm({ subscription }: { subscription: AlertSubscription }) {
  const { t, i18n } = useLingui()
  const { settings, claimed_address, confirmed_address } = subscription
  const efforts = useFrequencies()
  const form = useForm<AlertSubscriptionInput, AlertSubscription>({
    initial: settings ?? {
      language: i18n.locale as Locale,
      low: 'never',
      medium: 'daily',
      high: 'at_once',
      digest_hour: 6,
      address_source: 'claimed',
    },
    save: (body) => alertMailsApi.saveAlertSubscription({ query: {}, body }),
    onSaved: () => noticeDone(t`Email alerts saved`),
  })
  const { set, values } = form
  return (
    <ShortForm form={form} save={<Trans>Save</Trans>}>
      {SEVERITIES.map(([name, severity]) => {
        const word = i18n._(ALERT_SEVERITY_WORDS[severity])
        return (
          <Select
            key={name}
            label={t`Severity: ${word}`}
            data={efforts}
            value={values[name]}
            onChange={(next) => next !== null && set({ [name]: next as MailFrequency })}
            allowDeselect={false}
          />
        )
      })}
      <Select
        label={t`Time of the daily email`}
        data={HOURS}
        value={String(values.digest_hour)}
        onChange={(next) => next !== null && set({ digest_hour: Number(next) })}
        allowDeselect={false}
      />
      <Select
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
