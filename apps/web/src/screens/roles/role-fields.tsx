import { ALERT_PERMISSIONS, PAYLOAD_TYPES, type PayloadType, RESERVED_GROUP } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, MultiSelect, Paper, SimpleGrid, Switch, Textarea, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { groupChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { NetworksInput } from '../../components/access-fields.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import type { Form } from '../../ui/form/use-form.ts'
import type { RoleDraft } from './role-draft.ts'
import { groupsOfRules, limitRules } from './role-groups.ts'
import classes from './role-editor.module.css'

const ALERT_LABELS = {
  ops_read: msg`See operational alerts`,
  ops_write: msg`Clear operational alerts`,
  sec_read: msg`See security alerts`,
  sec_write: msg`Clear security alerts`,
} as const satisfies Record<(typeof ALERT_PERMISSIONS)[number], unknown>

/** Labels of the permissions about alerts, by path. */
export const alertLabels = (i18n: I18n): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ALERT_PERMISSIONS.map((name) => [`alert_permissions.${name}`, i18n._(ALERT_LABELS[name])]),
  )

/** Groups offered at once; a search finds the others. */
const SHOWN_GROUPS = 50

const usePayloadTypes = wordOptions(PAYLOAD_TYPE_WORDS, PAYLOAD_TYPES)

/** Fields of a role except its rules. */
export function RoleFields(props: {
  form: Form<RoleDraft>
  labels: Record<'role_reference' | 'description' | 'payload_types' | 'cidr_ranges' | 'is_alertable', string>
  isNew: boolean
  isReadOnly: boolean
}) {
  const { t } = useLingui()
  const { form, labels, isReadOnly } = props
  const { values, set, errorAt } = form
  return (
    <Paper component="section" p="md" className={classes.card} aria-labelledby="role-basics">
      <Title order={2} id="role-basics">
        <Trans>Role</Trans>
      </Title>
      <div className={classes.pair}>
        <TextInput
          label={labels.role_reference}
          {...form.field('role_reference')}
          {...readOnlyLook(!props.isNew)}
          required={props.isNew}
        />
        <MultiSelect
          label={labels.payload_types}
          placeholder={values.payload_types.length === 0 ? t`All types` : undefined}
          data={usePayloadTypes()}
          value={values.payload_types}
          onChange={(payload_types) => set({ payload_types: payload_types as PayloadType[] })}
          error={errorAt('payload_types')}
          {...readOnlyLook(isReadOnly)}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t`Clear` }}
          nothingFoundMessage={t`Nothing found`}
        />
      </div>
      <GroupsField form={form} isReadOnly={isReadOnly} />
      <Textarea
        label={labels.description}
        {...form.field('description')}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={1000}
        {...readOnlyLook(isReadOnly)}
      />
      <NetworksInput
        label={labels.cidr_ranges}
        value={values.cidr_ranges}
        onChange={(cidr_ranges) => set({ cidr_ranges })}
        error={errorAt('cidr_ranges')}
        description={t`Valid only from these networks; empty: any`}
        isReadOnly={isReadOnly}
      />
      <AlertPermissions form={form} isReadOnly={isReadOnly} />
      <Switch
        label={labels.is_alertable}
        description={t`One security alert for each person and day`}
        {...form.flag('is_alertable')}
        disabled={isReadOnly}
      />
    </Paper>
  )
}

/** Limits the role to groups by name. */
function GroupsField({ form, isReadOnly }: { form: Form<RoleDraft>; isReadOnly: boolean }) {
  const { t } = useLingui()
  const { data = [] } = useQuery({ ...groupChoicesQuery, enabled: useMay()('groups:list') })
  const rules = form.values.permissions
  const groups = groupsOfRules(rules)
  const names = data.map(({ group_reference }) => group_reference).filter((name) => name !== RESERVED_GROUP)
  return (
    <MultiSelect
      label={t`Groups`}
      description={groups === undefined ? t`Set by the rules below` : undefined}
      placeholder={groups?.length === 0 ? t`All groups` : undefined}
      data={[...new Set([...(groups ?? []), ...names])]}
      value={groups ?? []}
      onChange={(next) => form.set({ permissions: limitRules(rules, next) })}
      limit={SHOWN_GROUPS}
      {...readOnlyLook(isReadOnly || groups === undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}

function AlertPermissions(props: { form: Form<RoleDraft>; isReadOnly: boolean }) {
  const { t, i18n } = useLingui()
  const {
    form: { values, set },
    isReadOnly,
  } = props
  return (
    <FieldGroup label={t`Alerts`}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs">
        {ALERT_PERMISSIONS.map((name) => (
          <Checkbox
            key={name}
            label={i18n._(ALERT_LABELS[name])}
            checked={values.alert_permissions[name]}
            onChange={(event) =>
              set({
                alert_permissions: { ...values.alert_permissions, [name]: event.currentTarget.checked },
              })
            }
            disabled={isReadOnly}
          />
        ))}
      </SimpleGrid>
    </FieldGroup>
  )
}
