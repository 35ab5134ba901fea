import { type AccountDefaults, AccountDefaultsInput } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Paper, Stack, Switch, Text, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { GroupSelect, NetworksInput, RoleSelect } from '../../components/access-fields.tsx'
import { ReviewQuestion, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { movesRights } from '../../components/review/use-review.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { FormPage } from '../../ui/form/form-page.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { TwoPeople } from '../proposals/two-people.tsx'
import { DownloadLimits } from './download-limits.tsx'

/** Account defaults for editing, read once: they must not change during the edit. */
const defaultsQuery = queryOptions({
  ...callQuery(api, 'readAccountDefaults'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/** `/dashboard/account/settings`: what applies to all people of the account. */
export default function SettingsPage() {
  const { t } = useLingui()
  const query = useQuery(defaultsQuery)
  const mayReadRule = useMay()('account.two_people:read')
  return (
    <>
      <PageHeader title={t`Account settings`} description={t`They apply to all people of the account.`} />
      <QueryResult query={query} height={280}>
        {(defaults) => (
          <>
            <DefaultsForm key={defaults.version} defaults={defaults} onReload={() => void query.refetch()} />
            {mayReadRule && (
              <Paper p="md" mt="md" maw={640}>
                <FieldGroup label={t`Approvals`}>
                  <Text size="sm" c="dimmed">
                    <Trans>
                      With dual control a second person confirms releases and other grave changes.
                    </Trans>
                  </Text>
                  <TwoPeople />
                </FieldGroup>
              </Paper>
            )}
          </>
        )}
      </QueryResult>
    </>
  )
}

function useLabels() {
  const { t } = useLingui()
  return {
    user_group: t`Group`,
    role: t`Role`,
    default_for_empty_roles: t`Use for an empty role list`,
    cidr_ranges: t`Networks`,
    contact: t`Contact`,
    content_search: t`Word search`,
    play_limit: t`Recordings played`,
    download_limit: t`Recordings downloaded`,
    export_limit: t`Lists exported`,
    asks_reason: t`Require a reason for downloads and exports`,
    reasons: t`Reasons`,
  }
}
type Labels = ReturnType<typeof useLabels>

const getDraft = (defaults: AccountDefaults): AccountDefaultsInput => {
  const { user_group, role, default_for_empty_roles, cidr_ranges, contact, content_search } = defaults
  const { play_limit, download_limit, export_limit, asks_reason, reasons } = defaults
  return {
    user_group,
    role,
    default_for_empty_roles,
    cidr_ranges,
    contact,
    content_search,
    play_limit,
    download_limit,
    export_limit,
    asks_reason,
    reasons,
  } as AccountDefaultsInput
}

function useDefaultsForm(defaults: AccountDefaults, labels: Labels, onReload: () => void) {
  const { t } = useLingui()
  return useReviewedForm({
    initial: getDraft(defaults),
    stored: getStored(defaults, () => api.readAccountDefaults({ query: {} }), getDraft),
    labels,
    check: (values) => shapeFaults(AccountDefaultsInput, values),
    review: (body) => api.reviewAccountDefaults({ query: {}, body }),
    wantsWord: movesRights,
    save: (body, review, version) =>
      api.saveAccountDefaults(
        { query: review?.impact.locks_out ? { confirm_lockout: true } : {}, body },
        { if_match: version },
      ),
    onSaved: () => {
      noticeDone(t`Account settings saved`)
      onReload()
    },
  })
}

function DefaultsForm({ defaults, onReload }: { defaults: AccountDefaults; onReload: () => void }) {
  const { t } = useLingui()
  const may = useMay()
  const isReadOnly = !may('account.defaults:update')
  const labels = useLabels()
  const form = useDefaultsForm(defaults, labels, onReload)
  const { values, set, errorAt } = form
  return (
    <Stack maw={640}>
      <FormPage form={form} onReload={onReload} isReadOnly={isReadOnly}>
        <Paper p="md">
          <Stack>
            <FieldGroup label={t`Sign-in`}>
              <AccessDefaults form={form} labels={labels} isReadOnly={isReadOnly} />
            </FieldGroup>
            <FieldGroup label={t({ context: 'page', message: 'Search' })}>
              <ContentSearch
                label={labels.content_search}
                value={values.content_search ?? false}
                index={defaults.content_index}
                onChange={(next) => set({ content_search: next })}
                isReadOnly={isReadOnly}
              />
            </FieldGroup>
            <FieldGroup label={t`Security`}>
              <DownloadLimits
                labels={labels}
                values={values}
                set={set}
                errorAt={errorAt}
                isReadOnly={isReadOnly}
              />
            </FieldGroup>
          </Stack>
        </Paper>
      </FormPage>
      <ReviewQuestion form={form} />
    </Stack>
  )
}

/** What applies to people without a group or role of their own, and from where they may sign in. */
function AccessDefaults(props: {
  form: ReturnType<typeof useDefaultsForm>
  labels: Labels
  isReadOnly: boolean
}) {
  const { t } = useLingui()
  const {
    form: { values, set, errorAt },
    labels,
    isReadOnly,
  } = props
  return (
    <>
      <GroupSelect
        label={labels.user_group}
        description={t`The group for sign-ins without a group`}
        value={values.user_group}
        onChange={(next) => {
          if (next !== null) set({ user_group: next })
        }}
        error={errorAt('user_group')}
        isReadOnly={isReadOnly}
      />
      <RoleSelect
        label={labels.role}
        description={t`The role for sign-ins without one; empty: no permissions`}
        none={t`No role`}
        value={values.role}
        onChange={(next) => set({ role: next })}
        error={errorAt('role')}
        isReadOnly={isReadOnly}
      />
      <Switch
        label={labels.default_for_empty_roles}
        description={t`Some identity providers send an empty list for people without a role.`}
        checked={values.default_for_empty_roles ?? true}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => set({ default_for_empty_roles: checked })}
      />
      <NetworksInput
        label={labels.cidr_ranges}
        description={t`Sign-in only from these networks; empty: any`}
        isReadOnly={isReadOnly}
        value={values.cidr_ranges}
        onChange={(next) => set({ cidr_ranges: next })}
        error={errorAt('cidr_ranges')}
      />
      <TextInput
        label={labels.contact}
        description={t`Contact for people without permissions: name, address or number`}
        value={values.contact ?? ''}
        onChange={({ currentTarget: { value } }) => set({ contact: value === '' ? null : value })}
        maxLength={255}
        error={errorAt('contact')}
        {...readOnlyLook(isReadOnly)}
      />
    </>
  )
}

/** Content search setting, its effect on secrecy, and the progress of the index. */
function ContentSearch({
  label,
  value,
  index: { state, indexed },
  onChange,
  isReadOnly,
}: {
  label: string
  value: boolean
  index: AccountDefaults['content_index']
  onChange: (value: boolean) => void
  isReadOnly: boolean
}) {
  return (
    <div>
      <Switch
        label={label}
        checked={value}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
        description={
          <>
            <Text span display="block" inherit>
              <Trans>
                Users can search the words of messages, notes, comments and file names that they may open.
              </Trans>
            </Text>
            {state === 'building' && indexed !== null && (
              <Text span display="block" inherit mt={4}>
                <Plural value={indexed} one="Indexing: # text so far" other="Indexing: # texts so far" />
              </Text>
            )}
            {state === 'ready' && indexed !== null && (
              <Text span display="block" inherit mt={4}>
                <Plural value={indexed} one="# text can be searched" other="# texts can be searched" />
              </Text>
            )}
            {state === 'erasing' && (
              <Text span display="block" inherit mt={4}>
                <Trans>Erasing the index.</Trans>
              </Text>
            )}
          </>
        }
      />
      <Text component="details" size="xs" c="dimmed" mt={4}>
        <summary style={{ cursor: 'pointer' }}>
          <Trans>Learn more</Trans>
        </summary>
        <Trans>
          Risk: a reader of the database without keys sees how often each word occurs per month and which
          texts share words, and can guess common ones. A person who can also message recorded phones can test
          words. Switching off erases key and index.
        </Trans>
      </Text>
    </div>
  )
}
