import { ApiProblem } from '@custodia/client'
import {
  isProposed,
  type ProposalAnswer,
  TRANSFER_FILE_FORMATS,
  TRANSFER_TYPES,
  TRANSFERABLE_TYPES,
  type TransferConfig,
  TransferConfigInput,
  TransferConfigReference,
  type TransferConfigReview,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { List, MultiSelect, Select, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { callQuery } from '../../api/call-keys.ts'
import { failureText, faultText } from '../../api/failure-text.ts'
import { noticeDoneOrProposed } from '../../api/governance-api.ts'
import { groupChoicesQuery } from '../../api/queries.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { RoleSelect } from '../../components/access-fields.tsx'
import { ReviewQuestion, useReviewedForm } from '../../components/review/reviewed-form.tsx'
import { isSevere } from '../../components/review/use-review.ts'
import {
  TRANSFER_FORMAT_WORDS,
  TRANSFER_TYPE_WORDS,
  useTargetLabels,
} from '../../components/transfers/transfer-words.ts'
import { WidenedFacts } from '../../components/transfers/widened-facts.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { FormPage } from '../../ui/form/form-page.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { type ConfigDraft, getDraft, fieldAt, getInput } from './config-draft.ts'
import { SchedulePicker } from './schedule-picker.tsx'
import { TargetFields } from './target-fields.tsx'

const useTypes = wordOptions(TRANSFER_TYPE_WORDS, TRANSFER_TYPES)
const usePayloadTypes = wordOptions(PAYLOAD_TYPE_WORDS, TRANSFERABLE_TYPES)
const useFormats = wordOptions(TRANSFER_FORMAT_WORDS, TRANSFER_FILE_FORMATS)

/** Groups that the select offers at once. */
const SHOWN_GROUPS = 100

interface ConfigProps {
  config?: TransferConfig
  initial: ConfigDraft
  onReload?: () => void
}

/** Fields of a new or existing config. */
export function ConfigForm({ config, initial, onReload }: ConfigProps) {
  const { t } = useLingui()
  const isReadOnly = !useMay()(config ? 'transfer_configs:update' : 'transfer_configs:create')
  const labels = useLabels()
  const form = useConfigForm({ config, initial, onReload }, labels)
  const { field, flag, values } = form
  return (
    <FormPage form={form} isReadOnly={isReadOnly} onReload={onReload}>
      <PageBody>
        {!config && (
          <TextInput
            label={labels.transfer_config_reference}
            description={t`Letters, digits and :/-. Policies refer to this name; it cannot be changed later.`}
            required
            data-autofocus
            autoComplete="off"
            {...field('transfer_config_reference')}
          />
        )}
        <Switch label={labels.is_active} {...flag('is_active')} disabled={isReadOnly} />
        <ContentFields form={form} config={config} labels={labels} isReadOnly={isReadOnly} />
        <FieldGroup label={t`When`}>
          <SchedulePicker
            label={labels.schedule}
            value={values.schedule}
            onChange={(schedule) => form.set({ schedule })}
            error={form.errorAt('schedule')}
            isReadOnly={isReadOnly}
          />
          <NextRuns schedule={values.schedule.trim()} />
        </FieldGroup>
        <FormatFields form={form} config={config} labels={labels} />
        <TargetFields form={form} config={config} labels={labels} />
      </PageBody>
      <SaveQuestion form={form} />
    </FormPage>
  )
}

function useLabels() {
  const { t } = useLingui()
  return {
    transfer_config_reference: t`Name`,
    transfer_type: t({ context: 'transfer', message: 'What' }),
    payload_types: t`Kinds of recordings`,
    groups: t`Groups`,
    role_reference: t`Role`,
    schedule: t`Schedule`,
    transfer_file_format: t`Format`,
    pgp_key: t`Public key`,
    zip_password: t`Zip file password`,
    is_active: t`Enabled`,
    ...useTargetLabels(),
  }
}

function useConfigForm(
  {
    config,
    initial,
    onReload,
  }: { [Name in keyof ConfigProps]: ConfigProps[Name] | undefined } & {
    initial: ConfigDraft
  },
  labels: ReturnType<typeof useLabels>,
) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const may = useMay()
  const getCall = (draft: ConfigDraft) => ({
    params: { transfer_config_reference: draft.transfer_config_reference.trim() },
    query: {},
    body: getInput(draft, config === undefined),
  })
  return useReviewedForm<ConfigDraft, TransferConfig | ProposalAnswer, TransferConfigReview>({
    initial,
    labels: {
      ...labels,
      ...Object.fromEntries(Object.entries(labels).map(([name, label]) => [`params.${name}`, label])),
    },
    check: (draft) => [
      ...(config
        ? []
        : shapeFaults(
            TransferConfigReference,
            draft.transfer_config_reference.trim(),
            'transfer_config_reference',
          )),
      ...shapeFaults(TransferConfigInput, getInput(draft, config === undefined)).map((fault) => ({
        ...fault,
        path: fieldAt(fault.path),
      })),
    ],
    getField: { already_exists: 'transfer_config_reference', escalation: 'role_reference' },
    review: may('transfer_configs:review')
      ? (draft) => transfersApi.reviewTransferConfig(getCall(draft))
      : undefined,
    wantsWord: (review) => isSevere(review) || review.needs_second_person,
    stored: getStored(
      config,
      config &&
        (() =>
          transfersApi.readTransferConfig({
            params: { transfer_config_reference: config.transfer_config_reference },
            query: {},
          })),
      getDraft,
    ),
    save: (draft, _review, version) =>
      config
        ? transfersApi.updateTransferConfig(getCall(draft), { if_match: version })
        : transfersApi.createTransferConfig(getCall(draft), { if_none_match: true }),
    onSaved: (answer) => {
      noticeDoneOrProposed(answer, t`Configuration saved`)
      if (config) return onReload?.()
      if (isProposed(answer))
        return void navigate({ to: '/dashboard/account/transfers', search: { tab: 'configs' } })
      const { transfer_config_reference } = answer
      void navigate({
        to: '/dashboard/account/transfers/config',
        search: { reference: transfer_config_reference },
      })
    },
  })
}

interface FieldProps {
  form: ReturnType<typeof useConfigForm>
  config: TransferConfig | undefined
  labels: ReturnType<typeof useLabels>
}

function ContentFields({ form, config, labels, isReadOnly }: FieldProps & { isReadOnly: boolean }) {
  const { t } = useLingui()
  const { values, set, errorAt } = form
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: useMay()('groups:list') })
  return (
    <FieldGroup label={t`Transferred content`}>
      <Select
        label={labels.transfer_type}
        description={t`Recordings with metadata, or only a report since the last run.`}
        data={useTypes()}
        allowDeselect={false}
        value={values.transfer_type}
        onChange={(transfer_type) => transfer_type !== null && set({ transfer_type })}
        error={errorAt('transfer_type')}
      />
      <MultiSelect
        label={labels.payload_types}
        data={usePayloadTypes()}
        required
        value={values.payload_types}
        onChange={(next) => set({ payload_types: next as ConfigDraft['payload_types'] })}
        error={errorAt('payload_types')}
      />
      <MultiSelect
        label={labels.groups}
        description={t`Only recordings of these groups leave.`}
        placeholder={values.groups.length > 0 ? undefined : t`All groups of the role`}
        data={[...new Set([...values.groups, ...groups.map(({ group_reference }) => group_reference)])]}
        searchable
        limit={SHOWN_GROUPS}
        nothingFoundMessage={t`Nothing found`}
        value={[...values.groups]}
        onChange={(next) => set({ groups: next })}
        error={errorAt('groups')}
      />
      <RoleSelect
        label={labels.role_reference}
        description={t`Each run delivers only recordings that this role may download.`}
        none={config ? t`None: nothing is delivered` : t`A role with download permission`}
        value={values.role_reference}
        onChange={(role_reference) => set({ role_reference })}
        error={errorAt('role_reference')}
        isReadOnly={isReadOnly}
      />
    </FieldGroup>
  )
}

function FormatFields({ form, config, labels }: FieldProps) {
  const { t } = useLingui()
  const { values, set, errorAt, field } = form
  const formats = useFormats()
  return (
    <FieldGroup label={t`In which form`}>
      <Select
        label={labels.transfer_file_format}
        data={formats}
        allowDeselect={false}
        value={values.transfer_file_format}
        onChange={(transfer_file_format) => transfer_file_format !== null && set({ transfer_file_format })}
        error={errorAt('transfer_file_format')}
      />
      {values.transfer_file_format === 'ZippedWithPassword' && (
        <TextInput
          type="password"
          label={labels.zip_password}
          description={config?.has_zip_password ? t`Stored. Enter another to replace it.` : undefined}
          autoComplete="new-password"
          {...field('zip_password')}
        />
      )}
      {values.transfer_file_format === 'PGP' && (
        <Textarea
          label={labels.pgp_key}
          description={t`ASCII-armoured. Only its private key opens the files.`}
          autosize
          minRows={3}
          maxRows={10}
          spellCheck={false}
          {...field('pgp_key')}
        />
      )}
    </FieldGroup>
  )
}

/** Before it is saved: what a second person has to approve, and what the caller grants beyond their own rights. */
function SaveQuestion({ form }: { form: ReviewedForm }) {
  const { t } = useLingui()
  const texts = form.found?.needs_second_person
    ? {
        title: t`This needs a second approval`,
        confirmLabel: t`Propose`,
        notice: (
          <>
            <Text size="sm">
              <Trans>
                This sends more data, or sends it elsewhere. It takes effect after a second approval.
              </Trans>
            </Text>
            <WidenedFacts widened={form.found.widened} />
          </>
        ),
      }
    : undefined
  return <ReviewQuestion form={form} texts={texts} />
}

type ReviewedForm = ReturnType<typeof useReviewedForm<ConfigDraft, unknown, TransferConfigReview>>

/** A run in the user's zone, and in UTC where that differs. */
function NextRun({ at }: { at: number }) {
  const { i18n } = useLingui()
  const inUtc = formatTime(at, i18n.locale, 'UTC')
  return (
    <>
      <Time at={at} /> {formatTime(at, i18n.locale) === inUtc ? 'UTC' : `(${inUtc} UTC)`}
    </>
  )
}

/** Next runs of a schedule; or its fault. */
function NextRuns({ schedule }: { schedule: string }) {
  const { i18n } = useLingui()
  const [asked] = useDebouncedValue(schedule, 400)
  const { data, error } = useQuery({
    ...callQuery(transfersApi, 'readTransferSchedule', { query: { schedule: asked } }),
    enabled: asked !== '',
    retry: false,
    meta: { silent: true },
  })
  // Drops the answer for an earlier schedule.
  if (asked !== schedule) return null
  if (asked === '')
    return (
      <Text size="sm" c="dimmed">
        <Trans>It runs only on demand.</Trans>
      </Text>
    )
  if (error)
    return (
      <Text size="sm" c="red" role="alert">
        {/* Below its field, so it needs no label. */}
        {error instanceof ApiProblem && error.faults.length > 0
          ? error.faults.map((fault) => faultText(fault, i18n)).join(' ')
          : failureText(error, i18n)}
      </Text>
    )
  return (
    <div>
      <Text size="sm" fw={600}>
        <Trans>Next runs</Trans>
      </Text>
      <List size="sm">
        {data?.next_runs.map((at) => (
          <List.Item key={at}>
            <NextRun at={at} />
          </List.Item>
        ))}
      </List>
    </div>
  )
}
