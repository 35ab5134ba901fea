import {
  type ClaimMapping,
  ClaimMapping as MappingShape,
  type ClientAccount,
  ClientIdentity,
  isProposed,
  type Proposed,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Divider, Radio, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { noticeDone } from '../../api/notices.ts'
import { ClaimPreview } from '../../components/claims/claim-preview.tsx'
import { MappingFields } from '../../components/claims/mapping-fields.tsx'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { WaitingChange } from './waiting-change.tsx'

interface Values {
  kind: 'installation' | 'own'
  issuer: string
  oidc_client_id: string
  oidc_phone_client_id: string
  client_secret: string
  claim_mapping: ClaimMapping
}

/** Where the people of a client sign in. The secret is written, never shown. */
export default function IdentityDrawer({
  account,
  onClose,
}: {
  account: ClientAccount
  onClose: () => void
}) {
  const { t } = useLingui()
  const { client, client_name, oidc_issuer, oidc_client_id, oidc_phone_client_id } = account
  const labels = {
    issuer: t`Issuer`,
    oidc_client_id: t`Client id`,
    client_secret: t`Client secret`,
    oidc_phone_client_id: t`Client id of phones`,
  }
  const form = useForm<Values, ClientAccount | Proposed>({
    labels: {
      ...labels,
      ...Object.fromEntries(Object.entries(labels).map(([name, label]) => [`identity.${name}`, label])),
    },
    initial: {
      kind: oidc_issuer === null ? 'installation' : 'own',
      issuer: oidc_issuer ?? '',
      oidc_client_id: oidc_client_id ?? '',
      oidc_phone_client_id: oidc_phone_client_id ?? '',
      client_secret: '',
      claim_mapping: account.claim_mapping,
    },
    check: (values) => [
      ...shapeFaults(ClientIdentity, identityOf(values)),
      ...shapeFaults(MappingShape, values.claim_mapping, 'claim_mapping'),
    ],
    save: (values) =>
      internalApi.saveClientIdentity({
        params: { client },
        body: { identity: identityOf(values), claim_mapping: values.claim_mapping },
      }),
    onSaved: (answer) => {
      noticeDone(
        isProposed(answer)
          ? t`Proposed. Nothing has changed yet: an administrator of ${client_name} has to confirm it.`
          : t`Identity provider of ${client_name} saved`,
      )
      onClose()
    },
  })
  const { data: roles = [] } = useQuery({
    queryKey: keyOf('listRolesOfClient', client),
    queryFn: ({ signal }) =>
      allPages((paging) => internalApi.listRolesOfClient({ params: { client }, query: paging }, { signal })),
    select: (all) => all.map(({ role_reference }) => role_reference),
    enabled: useMay()('internal.roles:list'),
  })
  const isOwn = form.values.kind === 'own'
  const errorAt = (name: keyof Values) => form.errorAt(name) ?? form.errorAt(`identity.${name}`)
  return (
    <FormDrawer title={t`Identity provider of ${client_name}`} form={form} onClose={onClose} size={560}>
      {account.identity_change && <WaitingChange account={account} change={account.identity_change} />}
      <Radio.Group
        label={t`People of this client sign in at`}
        value={form.values.kind}
        onChange={(kind) => form.set({ kind: kind === 'own' ? 'own' : 'installation' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="installation" label={t`The identity provider of the installation`} />
          <Radio value="own" label={t`An OpenID provider of their own`} />
        </Stack>
      </Radio.Group>
      {isOwn && (
        <>
          <TextInput
            label={t`Issuer`}
            description={t`Its address, as in the tokens that it issues`}
            placeholder="https://login.example.com"
            inputMode="url"
            required
            {...form.field('issuer')}
            error={errorAt('issuer')}
          />
          <TextInput
            label={t`Client id`}
            description={t`Under which this portal is registered there`}
            required
            autoComplete="off"
            {...form.field('oidc_client_id')}
            error={errorAt('oidc_client_id')}
          />
          <TextInput
            type="password"
            label={t`Client secret`}
            description={t`Never shown again. Leave it empty to keep the one that is there.`}
            autoComplete="new-password"
            {...form.field('client_secret')}
            error={errorAt('client_secret')}
          />
          <TextInput
            label={t`Client id of phones`}
            description={t`Under which the app on phones is registered there, without a secret. Left empty, nobody signs in on phones.`}
            autoComplete="off"
            {...form.field('oidc_phone_client_id')}
            error={errorAt('oidc_phone_client_id')}
          />
        </>
      )}
      <Divider label={t`Claims, roles and groups`} labelPosition="left" />
      <MappingFields
        value={form.values.claim_mapping}
        onChange={(claim_mapping) => form.set({ claim_mapping })}
        errorAt={(path) => form.errorAt(`claim_mapping.${path}`)}
        choices={{ roles, groups: [] }}
      />
      <ClaimPreview
        mapping={form.values.claim_mapping}
        action="internal.clients:preview"
        ask={(body) => internalApi.previewClaimsOfClient({ params: { client }, body })}
      />
      {form.isDirty && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Trans>
            The change takes effect once an administrator of the client confirms it. A wrong address locks the
            client’s people out.
          </Trans>
        </Alert>
      )}
    </FormDrawer>
  )
}

function identityOf({
  kind,
  issuer,
  oidc_client_id,
  oidc_phone_client_id,
  client_secret,
}: Values): ClientIdentity {
  if (kind === 'installation') return null
  return {
    issuer: issuer.trim(),
    oidc_client_id: oidc_client_id.trim(),
    oidc_phone_client_id: oidc_phone_client_id.trim() || null,
    ...(client_secret === '' ? {} : { client_secret }),
  }
}
