import type { ClientApp, OidcConfig } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Divider, MultiSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { GroupSelect } from '../../components/access-select.tsx'
import { roleChoicesQuery } from '../../components/choices.ts'
import { NetworksInput } from '../../components/networks-input.tsx'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isGrave } from '../../components/review/use-review.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import { Time } from '../../ui/time.tsx'
import { type AppDraft, draftFaults, draftOf, inputOf } from './app-draft.ts'
import { appQuery } from './app-query.ts'
import { TokenTest } from './token-test.tsx'

const SIZE = 560

/** Creates a client app, or changes one. */
export default recordDrawer(appQuery, AppForm, SIZE)

const callOf = (draft: AppDraft) => ({
  params: { app_reference: draft.app_reference.trim() },
  query: {},
  body: inputOf(draft),
})

function AppForm({ record: app, onClose, onReload }: RecordFormProps<ClientApp>) {
  const { t } = useLingui()
  const may = useMay()
  const isReadOnly = !may(app === undefined ? 'account.apps:create' : 'account.apps:update')
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: may('roles:list') })
  const labels = {
    app_reference: t`Name`,
    'oidc_config.issuer': t`Issuer`,
    'oidc_config.audience': t`Audience`,
    'oidc_config.jwks_uri': t`Public key address (JWKS)`,
    group: t`Group`,
    roles: t`Roles`,
    cidr_ranges: t`Networks`,
  }
  const form = useReviewedForm({
    initial: draftOf(app),
    check: draftFaults,
    labels,
    fieldOf: { already_exists: 'app_reference', escalation: 'roles' },
    review: may('account.apps:review') ? (draft) => api.reviewClientApp(callOf(draft)) : undefined,
    wantsWord: isGrave,
    save: (draft) =>
      app === undefined
        ? api.createClientApp(callOf(draft))
        : api.updateClientApp(callOf(draft), { if_match: app.version }),
    onSaved: ({ app_reference }) => {
      noticeDone(t`App ${app_reference} saved`)
      onClose()
    },
  })
  const { values, set, errorAt } = form
  const { oidc_config } = values
  const identity = (name: keyof OidcConfig) => ({
    label: labels[`oidc_config.${name}`],
    value: oidc_config[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      set({ oidc_config: { ...oidc_config, [name]: event.currentTarget.value } }),
    error: errorAt(`oidc_config.${name}`),
    ...readOnlyLook(isReadOnly),
    required: true,
    autoComplete: 'off',
    spellCheck: false,
  })
  const missing = draftFaults({ ...values, app_reference: 'app', roles: ['any role'], cidr_ranges: [] })
  return (
    <ReviewedDrawer
      title={app === undefined ? t`Create app` : app.app_reference}
      form={form}
      onClose={onClose}
      onReload={onReload}
      isReadOnly={isReadOnly}
      actions={app && <DeleteApp app={app} onDeleted={form.leaving(onClose)} />}
      size={SIZE}
    >
      {app !== undefined && (
        <Text size="sm" c="dimmed">
          {app.last_seen === null ? (
            <Trans>No calls yet.</Trans>
          ) : (
            <Trans>
              Last call: <Time at={app.last_seen} style="second" />.
            </Trans>
          )}
        </Text>
      )}
      <TextInput
        label={labels.app_reference}
        {...form.field('app_reference')}
        {...readOnlyLook(app !== undefined || isReadOnly)}
        required={app === undefined}
        data-autofocus={app === undefined || undefined}
      />
      <TextInput {...identity('issuer')} placeholder="https://id.example.com" inputMode="url" />
      <TextInput {...identity('audience')} description={t`The audience in the app's tokens`} />
      <TextInput {...identity('jwks_uri')} placeholder="https://id.example.com/jwks" inputMode="url" />
      <MultiSelect
        comboboxProps={IN_PLACE}
        label={labels.roles}
        description={t`The app’s permissions, at most your own`}
        data={[...new Set([...values.roles, ...roles.map(({ role_reference }) => role_reference)])]}
        value={values.roles}
        onChange={(next) => set({ roles: next })}
        error={errorAt('roles')}
        {...readOnlyLook(isReadOnly)}
        required
        searchable
        maxValues={20}
        nothingFoundMessage={t`Nothing found`}
      />
      <GroupSelect
        label={labels.group}
        description={t`Its calls are logged in this group`}
        none={t`No group`}
        value={values.group}
        onChange={(next) => set({ group: next })}
        error={errorAt('group')}
        isReadOnly={isReadOnly}
      />
      <NetworksInput
        label={labels.cidr_ranges}
        description={t`Accepted only from these networks; empty: any`}
        value={values.cidr_ranges}
        onChange={(next) => set({ cidr_ranges: next })}
        error={errorAt('cidr_ranges')}
        isReadOnly={isReadOnly}
      />
      <Divider />
      <TokenTest
        app_reference={app?.app_reference ?? 'new-app'}
        oidc_config={inputOf(values).oidc_config}
        reason={missing.length > 0 ? t`Enter issuer, audience and key address.` : undefined}
      />
    </ReviewedDrawer>
  )
}

function DeleteApp({ app, onDeleted }: { app: ClientApp; onDeleted: () => void }) {
  const { t } = useLingui()
  const { app_reference, version } = app
  return (
    <DeleteButton
      action="account.apps:delete"
      question={t`Delete the app ${app_reference}?`}
      done={t`App ${app_reference} deleted`}
      onDelete={() => api.deleteClientApp({ params: { app_reference }, query: {} }, { if_match: version })}
      onDeleted={onDeleted}
    >
      <Text>
        <Trans>Its tokens stop working at once. Confirmed receipts and audit entries stay.</Trans>
      </Text>
    </DeleteButton>
  )
}
