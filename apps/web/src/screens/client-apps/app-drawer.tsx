import type { ClientApp, OidcConfig } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Divider, MultiSelect, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { RecordDrawer } from '../../ui/form/record-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Time } from '../../ui/time.tsx'
import { groupChoicesQuery, roleChoicesQuery } from '../../components/choices.ts'
import { NetworksInput } from '../../components/networks-input.tsx'
import { ReviewNotice } from '../../components/review/review-notice.tsx'
import { isForbidden, isGrave, type Review, useReview } from '../../components/review/use-review.ts'
import { type AppDraft, draftFaults, draftOf, inputOf } from './app-draft.ts'
import { appQuery } from './app-queries.ts'
import { DeleteApp } from './delete-app.tsx'
import { TokenTest } from './token-test.tsx'

const SIZE = 560

/** Creates a client app, or changes the one called `reference`. */
export default function AppDrawer({ reference, onClose }: { reference?: string; onClose: () => void }) {
  return reference === undefined ? (
    <AppForm onClose={onClose} />
  ) : (
    <ExistingApp reference={reference} onClose={onClose} />
  )
}

function ExistingApp({ reference, onClose }: { reference: string; onClose: () => void }) {
  const record = useQuery(appQuery(reference))
  return (
    <RecordDrawer record={record} title={reference} onClose={onClose} size={SIZE}>
      {(app) => (
        <AppForm key={app.version} app={app} onClose={onClose} onReload={() => void record.refetch()} />
      )}
    </RecordDrawer>
  )
}

function AppForm(props: { app?: ClientApp; onClose: () => void; onReload?: () => void }) {
  const { t } = useLingui()
  const { app, onClose, onReload } = props
  const may = useMay()
  const isReadOnly = !may(app === undefined ? 'account.apps:create' : 'account.apps:update')
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: may('groups:list') })
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: may('roles:list') })
  const review = useReview<AppDraft, Review>()
  const labels = {
    app_reference: t`Name`,
    'oidc_config.issuer': t`Issuer`,
    'oidc_config.audience': t`Audience`,
    'oidc_config.jwks_uri': t`Address of the public keys (JWKS)`,
    group: t`Group`,
    roles: t`Roles`,
    cidr_ranges: t`Networks`,
  }
  const form = useForm<AppDraft, ClientApp>({
    initial: draftOf(app),
    check: draftFaults,
    labels,
    fieldOf: { already_exists: 'app_reference', escalation: 'roles' },
    save: async (draft) => {
      const call = { params: { app_reference: draft.app_reference.trim() }, query: {}, body: inputOf(draft) }
      if (
        may('account.apps:review') &&
        (await review.judge(draft, () => api.reviewClientApp(call), isGrave)) === undefined
      )
        return undefined
      return app === undefined
        ? api.createClientApp(call)
        : api.updateClientApp(call, { if_match: app.version })
    },
    onSaved: ({ app_reference }) => {
      noticeDone(t`App ${app_reference} saved`)
      onClose()
    },
  })
  const { values, set, errorAt, abandon } = form
  const found = review.reviewOf(values)
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
  const offered = (names: readonly string[], chosen: readonly string[]) => [...new Set([...chosen, ...names])]
  const missing = draftFaults({ ...values, app_reference: 'app', roles: ['any role'], cidr_ranges: [] })
  return (
    <FormDrawer
      title={app === undefined ? t`Create app` : app.app_reference}
      form={form}
      onClose={onClose}
      {...(onReload ? { onReload } : {})}
      isReadOnly={isReadOnly}
      isForbidden={found !== undefined && isForbidden(found)}
      submitLabel={found === undefined ? undefined : <Trans>Save anyway</Trans>}
      actions={
        app !== undefined && (
          <DeleteApp
            app={app}
            onDeleted={() => {
              abandon()
              onClose()
            }}
          />
        )
      }
      size={SIZE}
    >
      {found !== undefined && <ReviewNotice title={t`Before it is saved`} review={found} />}
      {app !== undefined && (
        <Text size="sm" c="dimmed">
          {app.last_seen === null ? (
            <Trans>It has not called yet.</Trans>
          ) : (
            <Trans>
              It called last on <Time at={app.last_seen} style="second" />.
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
      <TextInput
        {...identity('audience')}
        description={t`For whom the app's tokens are meant, as they say it`}
      />
      <TextInput {...identity('jwks_uri')} placeholder="https://id.example.com/jwks" inputMode="url" />
      <MultiSelect
        comboboxProps={IN_PLACE}
        label={labels.roles}
        description={t`What the app may do; nothing beyond what you may do yourself`}
        data={offered(
          roles.map(({ role_reference }) => role_reference),
          values.roles,
        )}
        value={values.roles}
        onChange={(next) => set({ roles: next })}
        error={errorAt('roles')}
        {...readOnlyLook(isReadOnly)}
        required
        searchable
        maxValues={20}
        nothingFoundMessage={t`Nothing found`}
      />
      <Select
        comboboxProps={IN_PLACE}
        label={labels.group}
        description={t`Its calls are logged under this group`}
        placeholder={t`No group`}
        data={offered(
          groups.map(({ group_reference }) => group_reference),
          values.group === null ? [] : [values.group],
        )}
        value={values.group}
        onChange={(next) => set({ group: next })}
        error={errorAt('group')}
        {...readOnlyLook(isReadOnly)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t`Clear` }}
        nothingFoundMessage={t`Nothing found`}
      />
      <NetworksInput
        label={labels.cidr_ranges}
        description={t`It is heard only from these networks; without any, from all`}
        value={values.cidr_ranges}
        onChange={(next) => set({ cidr_ranges: next })}
        error={errorAt('cidr_ranges')}
        isReadOnly={isReadOnly}
      />
      <Divider />
      <TokenTest
        app_reference={app?.app_reference ?? 'new-app'}
        oidc_config={inputOf(values).oidc_config}
        reason={
          missing.length > 0 ? t`Issuer, audience and address of the keys must be complete.` : undefined
        }
      />
    </FormDrawer>
  )
}
