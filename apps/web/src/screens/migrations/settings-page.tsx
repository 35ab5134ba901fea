import { type MigrationSettings, MigrationSettingsInput } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { NumberInput, Paper, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormPage } from '../../ui/form/form-page.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'

/** `/dashboard/account/migrations?tab=settings`: scope of runs, and retention of their files. */
export default function SettingsPage() {
  const { t } = useLingui()
  const query = useQuery({
    ...callQuery(migrationsApi, 'readMigrationSettings'),
    // Read once: values must not change during the edit.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <>
      <PageHeader
        title={t`Settings of migration`}
        description={t`Choose what runs import from the legacy platform. Skipped rows count as warnings.`}
      />
      <QueryResult query={query} height={280}>
        {(settings) => (
          <SettingsForm key={settings.version} settings={settings} onReload={() => void query.refetch()} />
        )}
      </QueryResult>
    </>
  )
}

const getDraft = (settings: MigrationSettings) => {
  const { disable_onboarding, disable_offboarding, disable_payloads, erase_after_days } = settings
  return {
    disable_onboarding,
    disable_offboarding,
    disable_payloads,
    erase_after_days: erase_after_days as number | string,
  }
}

function useSettingsForm(settings: MigrationSettings, onReload: () => void) {
  const { t } = useLingui()
  return useForm({
    initial: getDraft(settings),
    stored: getStored(settings, () => migrationsApi.readMigrationSettings({ query: {} }), getDraft),
    labels: {
      disable_onboarding: t`No one joins`,
      disable_offboarding: t`No one leaves`,
      disable_payloads: t`No new recordings`,
      erase_after_days: t`Days until files are erased`,
    },
    check: (values) => shapeFaults(MigrationSettingsInput, values),
    save: (values, version) =>
      migrationsApi.saveMigrationSettings(
        { query: {}, body: MigrationSettingsInput.parse(values) },
        { if_match: version },
      ),
    onSaved: () => {
      noticeDone(t`The settings are saved`)
      onReload()
    },
  })
}

function SettingsForm({ settings, onReload }: { settings: MigrationSettings; onReload: () => void }) {
  const { t } = useLingui()
  const isReadOnly = !useMay()('account.migration:update')
  const form = useSettingsForm(settings, onReload)
  const { values, set, errorAt } = form
  return (
    <Stack maw={640}>
      <FormPage form={form} onReload={onReload} isReadOnly={isReadOnly}>
        <Paper p="md">
          <Stack>
            <Exclusions form={form} isReadOnly={isReadOnly} />
            <NumberInput
              label={t`Days until files are erased`}
              description={t`Counted from an error-free import. Until then the files are unencrypted.`}
              maw={320}
              min={1}
              max={3650}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              name="erase_after_days"
              value={values.erase_after_days}
              onChange={(next) => set({ erase_after_days: next })}
              error={errorAt('erase_after_days')}
              {...readOnlyLook(isReadOnly)}
            />
            <SavedBy settings={settings} />
          </Stack>
        </Paper>
      </FormPage>
    </Stack>
  )
}

/** What runs skip. */
function Exclusions(props: { form: ReturnType<typeof useSettingsForm>; isReadOnly: boolean }) {
  const { t } = useLingui()
  const {
    form: { flag },
    isReadOnly,
  } = props
  return (
    <>
      <Switch
        label={t`No one joins`}
        description={t`New device users and devices are skipped`}
        disabled={isReadOnly}
        {...flag('disable_onboarding')}
      />
      <Switch
        label={t`No one leaves`}
        description={t`Offboarding and deactivation on the legacy platform are ignored`}
        disabled={isReadOnly}
        {...flag('disable_offboarding')}
      />
      <Switch
        label={t`No new recordings`}
        description={t`New recordings are skipped`}
        disabled={isReadOnly}
        {...flag('disable_payloads')}
      />
    </>
  )
}

function SavedBy({ settings }: { settings: MigrationSettings }) {
  const { updated_at } = settings
  const who = authorName(settings, 'updated_by')
  if (updated_at === null) return null
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        By {who}, since <Time at={updated_at} />.
      </Trans>
    </Text>
  )
}
