import { type ClaimMapping, CLAIM_PRESETS, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { FieldGroup } from '../../ui/form/field-group.tsx'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { Icon } from '../../ui/icon.tsx'
import { type RuleChoices, RuleFields } from './rule-fields.tsx'

/** Product names, the same in every language. */
const PRODUCTS = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  lemonldap: 'LemonLDAP::NG',
} as const satisfies Record<keyof typeof CLAIM_PRESETS, string>

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
  const { rules } = value
  return (
    <>
      <Select
        comboboxProps={IN_PLACE}
        label={t`Claims as sent by`}
        data={[
          ...Object.entries(PRODUCTS).map(([name, label]) => ({ value: name, label })),
          { value: 'default', label: t`Custodia’s own names` },
          { value: 'custom', label: t`Other names`, disabled: true },
        ]}
        value={presetOf(value)}
        onChange={(name) => name !== null && name !== 'custom' && change(withoutRules(name))}
        allowDeselect={false}
        {...look}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {claim('user_reference', t`Claim of the person`)}
        {claim('display_name', t`Claim of the display name`)}
        {claim('roles', t`Claim of the roles`)}
        {claim('groups', t`Claim of the groups`)}
        {claim('user_group', t`Claim of the own group`)}
        <Select
          comboboxProps={IN_PLACE}
          label={t`Token without groups`}
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
        <Trans>A path such as realm_access.roles reaches into nested claims.</Trans>
      </Text>
      <Checkbox
        label={t`Values without a rule are names of roles and groups`}
        checked={value.accepts_names}
        onChange={(event) => change({ accepts_names: event.currentTarget.checked })}
        disabled={isReadOnly}
      />
      <FieldGroup label={t`Rules`}>
        {rules.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>A rule gives roles and groups for one value of the claims.</Trans>
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

/** Preset whose names a mapping uses; `custom` for none. */
function presetOf(mapping: ClaimMapping): string {
  const namesOf = ({ rules: _rules, ...names }: ClaimMapping) =>
    JSON.stringify(Object.entries(names).toSorted())
  const all = { ...CLAIM_PRESETS, default: DEFAULT_CLAIM_MAPPING }
  return Object.entries(all).find(([, each]) => namesOf(each) === namesOf(mapping))?.[0] ?? 'custom'
}

/** Applies the names of a preset; rules stay. */
function withoutRules(name: string): Partial<ClaimMapping> {
  const { rules: _rules, ...names } =
    CLAIM_PRESETS[name as keyof typeof CLAIM_PRESETS] ?? DEFAULT_CLAIM_MAPPING
  return names
}
