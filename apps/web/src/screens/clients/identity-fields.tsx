import type { ClientIdentity } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Radio, Stack, TextInput } from '@mantine/core'
import type { Form } from '../../ui/form/use-form.ts'

/** Form state of an identity provider. */
export interface IdentityValues {
  kind: 'installation' | 'own'
  issuer: string
  oidc_client_id: string
  oidc_device_client_id: string
  client_secret: string
}

/** Labels by the form's paths and the server's fault paths. */
export function useIdentityLabels(): Record<string, string> {
  const { t } = useLingui()
  const labels = {
    issuer: t`Issuer`,
    oidc_client_id: t`Client ID`,
    client_secret: t`Client secret`,
    oidc_device_client_id: t`Client ID for phones`,
  }
  return {
    ...labels,
    ...Object.fromEntries(Object.entries(labels).map(([name, label]) => [`identity.${name}`, label])),
  }
}

/** Fields: the installation's identity provider, or the client's own. The secret is write-only. */
export function IdentityFields({
  form,
  hasSecret,
}: {
  form: Pick<Form<IdentityValues>, 'values' | 'set' | 'field' | 'errorAt'>
  /** Whether an empty field keeps an existing secret. */
  hasSecret: boolean
}) {
  const { t } = useLingui()
  const errorAt = (name: keyof IdentityValues) => form.errorAt(name) ?? form.errorAt(`identity.${name}`)
  return (
    <>
      <Radio.Group
        label={t`Sign-in address of this client`}
        value={form.values.kind}
        onChange={(kind) => form.set({ kind: kind === 'own' ? 'own' : 'installation' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="installation" label={t`The installation’s identity provider`} />
          <Radio value="own" label={t`Own OpenID provider`} />
        </Stack>
      </Radio.Group>
      {form.values.kind === 'own' && (
        <>
          <TextInput
            label={t`Issuer`}
            description={t`Its address, as in its tokens`}
            placeholder="https://login.example.com"
            inputMode="url"
            required
            {...form.field('issuer')}
            error={errorAt('issuer')}
          />
          <TextInput
            label={t`Client ID`}
            description={t`This portal’s client ID there`}
            required
            autoComplete="off"
            {...form.field('oidc_client_id')}
            error={errorAt('oidc_client_id')}
          />
          <TextInput
            type="password"
            label={t`Client secret`}
            description={
              hasSecret
                ? t`Not shown again. Leave empty to keep the current one.`
                : t`Not shown again. Leave empty if the provider gave none.`
            }
            autoComplete="new-password"
            {...form.field('client_secret')}
            error={errorAt('client_secret')}
          />
          <TextInput
            label={t`Client ID for phones`}
            description={t`The phone app’s client ID there, without a secret. Empty: no sign-in on phones.`}
            autoComplete="off"
            {...form.field('oidc_device_client_id')}
            error={errorAt('oidc_device_client_id')}
          />
        </>
      )}
    </>
  )
}

/** The API input of the form. */
export function getIdentity(values: IdentityValues): ClientIdentity {
  if (values.kind === 'installation') return null
  return {
    issuer: values.issuer.trim(),
    oidc_client_id: values.oidc_client_id.trim(),
    oidc_device_client_id: values.oidc_device_client_id.trim() || null,
    ...(values.client_secret === '' ? {} : { client_secret: values.client_secret }),
  }
}
