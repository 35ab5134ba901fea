import {
  type ClaimMapping,
  type CreatedClient,
  DEFAULT_CLAIM_MAPPING,
  DEVICE_SERVICES,
  LicenseLimit,
  type LicenseLimits,
  NewClient,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { internalApi } from '../../api/internal-api.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { PresetSelect } from '../identity-providers/preset-select.tsx'
import { IdentityFields, type IdentityValues, getIdentity, useIdentityLabels } from './identity-fields.tsx'

interface Values extends IdentityValues {
  client: string
  client_name: string
  first_administrator: string
  licences: string
  claim_mapping: ClaimMapping
}

const NEW_CLIENT: Values = {
  client: '',
  client_name: '',
  first_administrator: '',
  licences: '0',
  claim_mapping: DEFAULT_CLAIM_MAPPING,
  kind: 'installation',
  issuer: '',
  oidc_client_id: '',
  oidc_device_client_id: '',
  client_secret: '',
}

/** A new client: names, first administrator, identity provider and device limits. */
export default function CreateDrawer(props: {
  onClose: () => void
  onCreated: (made: CreatedClient) => void
}) {
  const { t } = useLingui()
  const licences = t`Devices per service`
  const form = useForm<Values, CreatedClient>({
    initial: NEW_CLIENT,
    labels: {
      client: t`Short name`,
      client_name: t`Name`,
      first_administrator: t`First administrator`,
      licences,
      ...useIdentityLabels(),
    },
    getField: { already_exists: 'client' },
    check: (values) => [
      ...shapeFaults(NewClient, { ...getNewClient(values), limits: getLimits(0) }),
      ...shapeFaults(LicenseLimit, getNumber(values.licences), 'licences'),
    ],
    save: (values) => internalApi.createClient({ body: getNewClient(values) }),
    onSaved: props.onCreated,
  })
  const { claim_mapping } = form.values
  const claim = claim_mapping.user_reference
  return (
    <FormDrawer
      title={t`Create a client`}
      form={form}
      onClose={props.onClose}
      submitLabel={<Trans>Create</Trans>}
    >
      <TextInput label={t`Name`} required autoComplete="off" {...form.field('client_name')} />
      <TextInput
        label={t`Short name`}
        description={t`Lower-case letters, digits and hyphens, used in addresses. Cannot be changed later.`}
        required
        autoComplete="off"
        {...form.field('client')}
      />
      <TextInput
        label={t`First administrator`}
        description={t`The person’s value of the claim ${claim}`}
        required
        autoComplete="off"
        {...form.field('first_administrator')}
      />
      <TextInput
        label={licences}
        description={t`From 0 to 100,000. Set single services under Licences.`}
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        required
        {...form.field('licences')}
      />
      <IdentityFields form={form} hasSecret={false} />
      <PresetSelect
        value={claim_mapping}
        onChange={(names) => form.set({ claim_mapping: { ...claim_mapping, ...names } })}
      />
    </FormDrawer>
  )
}

/** Only digits become a number; the schema rejects the rest. */
const getNumber = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN)

const getLimits = (limit: number): LicenseLimits =>
  Object.fromEntries(DEVICE_SERVICES.map((service) => [service, limit])) as LicenseLimits

const getNewClient = (values: Values): NewClient => ({
  client: values.client.trim(),
  client_name: values.client_name.trim(),
  first_administrator: values.first_administrator.trim(),
  limits: getLimits(getNumber(values.licences)),
  identity: getIdentity(values),
  claim_mapping: values.claim_mapping,
})
