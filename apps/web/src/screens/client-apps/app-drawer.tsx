import { type ClientApp, type OidcConfig, TOKEN_CHECKS, type TokenTest as Result } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Divider, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { appsApi } from '../../api/client-apps-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { roleChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { GroupSelect, NetworksInput } from '../../components/access-fields.tsx'
import { Marked } from '../../components/cells.tsx'
import { ReviewedDrawer, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isSevere } from '../../components/review/use-review.ts'
import { DeleteButton } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import type { Form } from '../../ui/form/use-form.ts'
import { Time } from '../../ui/time.tsx'
import { TokenCheck } from '../../ui/token-check.tsx'
import { type AppDraft, draftFaults, getDraft, getInput } from './app-draft.ts'
import { appQuery } from './app-preview.tsx'
import classes from './apps.module.css'

type Check = (typeof TOKEN_CHECKS)[number]

/** Each step of the test, and the meaning of its failure. */
const STEPS: Readonly<Record<Check, { word: MessageDescriptor; failed: MessageDescriptor }>> = {
  shape: { word: msg`It is a signed token (JWT)`, failed: msg`The pasted text is not a signed token.` },
  algorithm: {
    word: msg`Its algorithm is accepted`,
    failed: msg`Sign it with a private key: RS256, RS384, RS512, PS256, ES256 or ES384.`,
  },
  issuer: { word: msg`It comes from the issuer`, failed: msg`Its issuer differs from the form.` },
  audience: {
    word: msg`It is meant for the audience`,
    failed: msg`Its audience differs from the form.`,
  },
  keys: {
    word: msg`The public keys can be read`,
    failed: msg`The key address returns no keys or is not allowed. Check the address.`,
  },
  signature: {
    word: msg`Its signature is valid`,
    failed: msg`No public key matches its signature.`,
  },
  time: {
    word: msg`It is valid now`,
    failed: msg`The token has expired, is not valid yet, or lives too long.`,
  },
}

/**
 * 'Test a token': the server checks it against the form, saved or not. The token stays in this field; neither browser
 * nor server stores it.
 */
function TokenTest(props: { app_reference: string; oidc_config: OidcConfig; reason?: string | undefined }) {
  const { t } = useLingui()
  const { app_reference, oidc_config } = props
  return (
    <TokenCheck
      title={t`Test a token`}
      heading={
        <Text component="h3" fw={650}>
          <Trans>Test a token</Trans>
        </Text>
      }
      label={t`Token`}
      description={t`Paste a token of the app to check the form. It is not stored.`}
      maxLength={16_384}
      action="account.apps:test"
      submit={<Trans>Test</Trans>}
      icon="key"
      reason={props.reason}
      reasonIfEmpty={t`Paste a token first.`}
      subject={oidc_config}
      ask={(token) =>
        appsApi.testClientAppToken({ params: { app_reference }, query: {}, body: { token, oidc_config } })
      }
    >
      {(result) => <Checks result={result} />}
    </TokenCheck>
  )
}

function Checks({ result }: { result: Result }) {
  const { t, i18n } = useLingui()
  return (
    <Stack gap="xs">
      {result.is_accepted ? (
        <Marked icon="check-circle" tone="good">{t`The token is accepted`}</Marked>
      ) : (
        <Marked icon="alert-circle" tone="bad">{t`The token is refused`}</Marked>
      )}
      {result.expires_at !== null && (
        <Text size="sm">
          <Trans>
            Valid until <Time at={result.expires_at} style="second" />.
          </Trans>
        </Text>
      )}
      <ul className={classes.checks}>
        {TOKEN_CHECKS.map((check) => {
          const done = result.checks.find((each) => each.check === check)
          return (
            <li key={check}>
              <span>{i18n._(STEPS[check].word)}</span>
              {done === undefined ? (
                <Marked icon="more" tone="calm">{t`Not checked`}</Marked>
              ) : done.is_passed ? (
                <Marked icon="check" tone="good">{t`Passed`}</Marked>
              ) : (
                <Marked icon="x" tone="bad">{t`Failed`}</Marked>
              )}
              {done?.is_passed === false && (
                <span className={classes.detail}>
                  {i18n._(STEPS[check].failed)}{' '}
                  {done.detail !== null && <span lang="en">({done.detail})</span>}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Stack>
  )
}

const SIZE = 560

/** Creates a client app, or changes one. */
export default recordDrawer(appQuery, AppForm, SIZE)

const getCall = (draft: AppDraft) => ({
  params: { app_reference: draft.app_reference.trim() },
  query: {},
  body: getInput(draft),
})

function useAppLabels() {
  const { t } = useLingui()
  return {
    app_reference: t`Name`,
    oidc_config: t`Sign-in`,
    'oidc_config.issuer': t`Issuer`,
    'oidc_config.audience': t`Audience`,
    'oidc_config.jwks_uri': t`Public key address (JWKS)`,
    group: t`Group`,
    roles: t`Roles`,
    cidr_ranges: t`Networks`,
  }
}

function useAppForm({ record: app, onClose, readNewest }: RecordFormProps<ClientApp>) {
  const { t } = useLingui()
  const may = useMay()
  const labels = useAppLabels()
  return useReviewedForm({
    initial: getDraft(app),
    stored: getStored(app, readNewest, getDraft),
    check: draftFaults,
    labels,
    getField: { already_exists: 'app_reference', escalation: 'roles' },
    review: may('account.apps:review') ? (draft) => appsApi.reviewClientApp(getCall(draft)) : undefined,
    wantsWord: isSevere,
    save: (draft, _review, version) =>
      app === undefined
        ? appsApi.createClientApp(getCall(draft))
        : appsApi.updateClientApp(getCall(draft), { if_match: version }),
    onSaved: ({ app_reference }) => {
      noticeDone(t`App ${app_reference} saved`)
      onClose()
    },
  })
}

interface PartProps {
  form: Form<AppDraft>
  isReadOnly: boolean
}

function AppForm(props: RecordFormProps<ClientApp>) {
  const { t } = useLingui()
  const may = useMay()
  const labels = useAppLabels()
  const { record: app, onClose, onReload } = props
  const isReadOnly = !may(app === undefined ? 'account.apps:create' : 'account.apps:update')
  const form = useAppForm(props)
  const { values } = form
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
      <IdentityFields form={form} isReadOnly={isReadOnly} />
      <ReachFields form={form} isReadOnly={isReadOnly} />
      <Divider />
      <TokenTest
        app_reference={app?.app_reference ?? 'new-app'}
        oidc_config={getInput(values).oidc_config}
        reason={missing.length > 0 ? t`Enter issuer, audience and key address.` : undefined}
      />
    </ReviewedDrawer>
  )
}

/** Who issues the app's tokens. */
function IdentityFields({ form, isReadOnly }: PartProps) {
  const { t } = useLingui()
  const labels = useAppLabels()
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
  return (
    <>
      <TextInput {...identity('issuer')} placeholder="https://id.example.com" inputMode="url" />
      <TextInput {...identity('audience')} description={t`The audience in the app's tokens`} />
      <TextInput {...identity('jwks_uri')} placeholder="https://id.example.com/jwks" inputMode="url" />
    </>
  )
}

/** What the app may do, and from where. */
function ReachFields({ form, isReadOnly }: PartProps) {
  const { t } = useLingui()
  const labels = useAppLabels()
  const { values, set, errorAt } = form
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: useMay()('roles:list') })
  return (
    <>
      <MultiSelect
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
    </>
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
      onDelete={() =>
        appsApi.deleteClientApp({ params: { app_reference }, query: {} }, { if_match: version })
      }
      onDeleted={onDeleted}
    >
      <Text>
        <Trans>Its tokens stop working at once. Confirmed receipts and audit entries stay.</Trans>
      </Text>
    </DeleteButton>
  )
}
