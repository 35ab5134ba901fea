import {
  type ClaimMapping,
  ClaimMapping as MappingShape,
  type ClientAccount,
  ClientIdentity,
  isProposed,
  type Proposed,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Divider } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { noticeDone } from '../../api/notices.ts'
import { ClaimPreview } from '../identity-providers/claim-preview.tsx'
import { MappingFields } from '../identity-providers/mapping-fields.tsx'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { IdentityFields, type IdentityValues, identityOf, useIdentityLabels } from './identity-fields.tsx'
import { WaitingChange } from './waiting-change.tsx'

type Values = IdentityValues & { claim_mapping: ClaimMapping }

/** Identity provider of a client. The secret is write-only. */
export default function IdentityDrawer({
  account,
  onClose,
}: {
  account: ClientAccount
  onClose: () => void
}) {
  const { t } = useLingui()
  const { client, client_name, oidc_issuer, oidc_client_id, oidc_phone_client_id } = account
  const labels = useIdentityLabels()
  const form = useForm<Values, ClientAccount | Proposed>({
    labels,
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
          ? t`Proposed. Takes effect once an administrator of ${client_name} confirms it.`
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
  return (
    <FormDrawer title={t`Identity provider of ${client_name}`} form={form} onClose={onClose} size={560}>
      {account.identity_change && <WaitingChange account={account} change={account.identity_change} />}
      <IdentityFields form={form} hasSecret={oidc_issuer !== null} />
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
            The change takes effect once a client administrator confirms it. A wrong address blocks sign-in.
          </Trans>
        </Alert>
      )}
    </FormDrawer>
  )
}
