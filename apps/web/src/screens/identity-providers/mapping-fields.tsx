import type { ClaimMapping, ClaimRule } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  Button,
  Checkbox,
  Group,
  Input,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { Icon } from '../../ui/icon.tsx'
import { PresetSelect } from './preset-select.tsx'

/** Roles and groups that rules may name. */
interface RuleChoices {
  roles: readonly string[]
  groups: readonly string[]
}

/** One rule of a claim mapping: a value with its roles and groups. */
function RuleFields({
  number,
  rule,
  onChange,
  onRemove,
  errorAt,
  choices,
  isReadOnly,
}: {
  /** Position, from 1. */
  number: number
  rule: ClaimRule
  onChange: (rule: ClaimRule) => void
  onRemove: () => void
  /** Fault at a path within the rule. */
  errorAt: (path: string) => string | undefined
  choices: RuleChoices
  isReadOnly: boolean
}) {
  const { t } = useLingui()
  const look = readOnlyLook(isReadOnly)
  const names = (field: 'roles' | 'groups', label: string) => (
    <TagsInput
      comboboxProps={IN_PLACE}
      label={label}
      data={[...choices[field]]}
      value={rule[field]}
      onChange={(next) => onChange({ ...rule, [field]: next })}
      error={errorAt(field)}
      acceptValueOnBlur
      maxTags={field === 'roles' ? 10 : 20}
      {...look}
    />
  )
  return (
    <Paper withBorder p="sm" component="section" aria-label={t`Rule ${number}`}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text component="h4" size="sm" fw={650}>
            <Trans>Rule {number}</Trans>
          </Text>
          {!isReadOnly && (
            <Button size="compact-xs" variant="subtle" color="red" onClick={onRemove}>
              <Trans>Remove</Trans>
            </Button>
          )}
        </Group>
        <TextInput
          label={t`Value in the token`}
          value={rule.value}
          onChange={(event) => onChange({ ...rule, value: event.currentTarget.value })}
          error={errorAt('value')}
          autoComplete="off"
          spellCheck={false}
          required
          {...look}
        />
        {names('roles', t`Roles`)}
        <Checkbox
          label={t`All groups`}
          checked={rule.all_groups}
          onChange={(event) => onChange({ ...rule, all_groups: event.currentTarget.checked, groups: [] })}
          disabled={isReadOnly}
        />
        {!rule.all_groups && names('groups', t`Only these groups`)}
      </Stack>
    </Paper>
  )
}

interface MappingFieldsProps {
  value: ClaimMapping
  onChange: (value: ClaimMapping) => void
  errorAt: (path: string) => string | undefined
  choices: RuleChoices
  isReadOnly?: boolean
}

/** Fields of a claim mapping: preset, claim names and rules. */
export function MappingFields({ value, onChange, errorAt, choices, isReadOnly = false }: MappingFieldsProps) {
  const { t } = useLingui()
  const change = (part: Partial<ClaimMapping>) => onChange({ ...value, ...part })
  const look = readOnlyLook(isReadOnly)
  const claim = (
    name: 'user_reference' | 'display_name' | 'roles' | 'groups' | 'user_group',
    label: string,
  ) => (
    <TextInput
      label={label}
      value={value[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      error={errorAt(name)}
      autoComplete="off"
      spellCheck={false}
      {...look}
    />
  )
  const isPortal = value.roles_from === 'portal'
  return (
    <>
      <Input.Wrapper
        label={t`Roles are assigned`}
        labelElement="div"
        description={isPortal ? t`Assign roles under People. Claims only identify people.` : undefined}
      >
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={t`Roles are assigned`}
          readOnly={isReadOnly}
          data={[
            { value: 'claims', label: t`By claims` },
            { value: 'portal', label: t`In the portal` },
          ]}
          value={value.roles_from}
          onChange={(next) => change({ roles_from: next === 'portal' ? 'portal' : 'claims' })}
        />
      </Input.Wrapper>
      <PresetSelect value={value} onChange={change} isReadOnly={isReadOnly} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {claim('user_reference', t`Person claim`)}
        {claim('display_name', t`Display name claim`)}
        {!isPortal && claim('roles', t`Roles claim`)}
        {!isPortal && claim('groups', t`Groups claim`)}
        {claim('user_group', t`Own group claim`)}
        <Select
          comboboxProps={IN_PLACE}
          label={isPortal ? t`Groups without an assignment` : t`Token without groups`}
          data={[
            { value: 'none', label: t`No group` },
            { value: 'all', label: t`All groups` },
          ]}
          value={value.missing_groups}
          onChange={(next) => change({ missing_groups: next === 'all' ? 'all' : 'none' })}
          allowDeselect={false}
          {...look}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        <Trans>Use a path such as realm_access.roles for nested claims.</Trans>
      </Text>
      {isPortal || <ClaimedRights {...{ value, onChange, errorAt, choices, isReadOnly }} />}
    </>
  )
}

/** Which roles and groups values of claims give. */
function ClaimedRights({ value, onChange, errorAt, choices, isReadOnly = false }: MappingFieldsProps) {
  const { t } = useLingui()
  const change = (part: Partial<ClaimMapping>) => onChange({ ...value, ...part })
  const { rules } = value
  return (
    <>
      <Checkbox
        label={t`Values without a rule are role and group names`}
        checked={value.accepts_names}
        onChange={(event) => change({ accepts_names: event.currentTarget.checked })}
        disabled={isReadOnly}
      />
      <FieldGroup label={t`Rules`}>
        {rules.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>A rule assigns roles and groups to a claim value.</Trans>
          </Text>
        )}
        {rules.map((rule, i) => (
          <RuleFields
            // oxlint-disable-next-line react/no-array-index-key -- a rule is known by its place while its value is typed
            key={i}
            number={i + 1}
            rule={rule}
            onChange={(next) => change({ rules: rules.with(i, next) })}
            onRemove={() => change({ rules: rules.toSpliced(i, 1) })}
            errorAt={(path) => errorAt(`rules.${i}.${path}`)}
            choices={choices}
            isReadOnly={isReadOnly}
          />
        ))}
        {!isReadOnly && (
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={15} />}
              onClick={() =>
                change({ rules: [...rules, { value: '', roles: [], groups: [], all_groups: false }] })
              }
            >
              <Trans>Add rule</Trans>
            </Button>
          </div>
        )}
      </FieldGroup>
    </>
  )
}
