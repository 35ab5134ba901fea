import { type ClientAccount, ClientIdentity, isProposed, type Proposed } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert } from '@mantine/core'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { IdentityFields, type IdentityValues, identityOf, useIdentityLabels } from './identity-fields.tsx'
import { WaitingChange } from './waiting-change.tsx'

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
  const labels = useIdentityLabels()
  const form = useForm<IdentityValues, ClientAccount | Proposed>({
    labels,
    initial: {
      kind: oidc_issuer === null ? 'installation' : 'own',
      issuer: oidc_issuer ?? '',
      oidc_client_id: oidc_client_id ?? '',
      oidc_phone_client_id: oidc_phone_client_id ?? '',
      client_secret: '',
    },
    check: (values) => shapeFaults(ClientIdentity, identityOf(values)),
    save: (values) =>
      internalApi.saveClientIdentity({ params: { client }, body: { identity: identityOf(values) } }),
    onSaved: (answer) => {
      noticeDone(
        isProposed(answer)
          ? t`Proposed. Nothing has changed yet: an administrator of ${client_name} has to confirm it.`
          : t`Identity provider of ${client_name} saved`,
      )
      onClose()
    },
  })
  return (
    <FormDrawer title={t`Identity provider of ${client_name}`} form={form} onClose={onClose}>
      {account.identity_change && <WaitingChange account={account} change={account.identity_change} />}
      <IdentityFields form={form} hasSecret={oidc_issuer !== null} />
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
