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
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { Icon } from '../../ui/icon.tsx'
import { PresetSelect } from './preset-select.tsx'

/** Labels of a claim mapping's fields, and how values read. */
export function useMappingWords(isPortal: boolean) {
  const { t } = useLingui()
  const labels = {
    roles_from: t`Roles are assigned`,
    user_reference: t`Person claim`,
    display_name: t`Display name claim`,
    roles: t`Roles claim`,
    groups: t`Groups claim`,
    user_group: t`Own group claim`,
    missing_groups: isPortal ? t`Groups without an assignment` : t`Token without groups`,
    accepts_names: t`Values without a rule are role and group names`,
    rules: t`Rules`,
    'rules.*': (number: number) => t`Rule ${number}`,
    'rules.*.value': t`Value in the token`,
    'rules.*.roles': t`Roles`,
    'rules.*.groups': t`Only these groups`,
  }
  const [none, all] = [t`No group`, t`All groups`]
  const texts = {
    roles_from: (from: ClaimMapping['roles_from']) => (from === 'claims' ? t`By claims` : t`In the portal`),
    missing_groups: (groups: ClaimMapping['missing_groups']) => (groups === 'all' ? all : none),
    rules: (rules: readonly ClaimRule[]) =>
      rules
        .map(
          (rule) =>
            `${rule.value}: ${[...rule.roles, ...(rule.all_groups ? [all] : rule.groups)].join(', ')}`,
        )
        .join('; '),
  }
  return { labels, texts }
}

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
  const isPortal = value.roles_from === 'portal'
  const { labels, texts } = useMappingWords(isPortal)
  const claim = (name: 'user_reference' | 'display_name' | 'roles' | 'groups' | 'user_group') => (
    <TextInput
      label={labels[name]}
      value={value[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      error={errorAt(name)}
      autoComplete="off"
      spellCheck={false}
      {...look}
    />
  )
  return (
    <>
      <Input.Wrapper
        label={labels.roles_from}
        labelElement="div"
        description={isPortal ? t`Assign roles under People. Claims only identify people.` : undefined}
      >
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={labels.roles_from}
          readOnly={isReadOnly}
          data={[
            { value: 'claims', label: texts.roles_from('claims') },
            { value: 'portal', label: texts.roles_from('portal') },
          ]}
          value={value.roles_from}
          onChange={(next) => change({ roles_from: next === 'portal' ? 'portal' : 'claims' })}
        />
      </Input.Wrapper>
      <PresetSelect value={value} onChange={change} isReadOnly={isReadOnly} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {claim('user_reference')}
        {claim('display_name')}
        {!isPortal && claim('roles')}
        {!isPortal && claim('groups')}
        {claim('user_group')}
        <Select
          label={labels.missing_groups}
          data={[
            { value: 'none', label: texts.missing_groups('none') },
            { value: 'all', label: texts.missing_groups('all') },
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
