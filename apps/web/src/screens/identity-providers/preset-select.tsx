import { type ClaimMapping, CLAIM_PRESETS, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Select } from '@mantine/core'
import { readOnlyLook } from '../../ui/form/read-only.ts'

/** Names of products, the same in every language. */
const PRODUCTS = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  lemonldap: 'LemonLDAP::NG',
} as const satisfies Record<keyof typeof CLAIM_PRESETS, string>

/** Whose claims a mapping reads; choosing others replaces the names of claims alone. */
export function PresetSelect(props: {
  value: ClaimMapping
  onChange: (names: Partial<ClaimMapping>) => void
  isReadOnly?: boolean
}) {
  const { t } = useLingui()
  return (
    <Select
      label={t`Claims format of`}
      data={[
        ...Object.entries(PRODUCTS).map(([name, label]) => ({ value: name, label })),
        { value: 'default', label: t`Custodia names` },
        { value: 'custom', label: t`Other names`, disabled: true },
      ]}
      value={getPreset(props.value)}
      onChange={(name) => name !== null && name !== 'custom' && props.onChange(withoutRules(name))}
      allowDeselect={false}
      {...readOnlyLook(props.isReadOnly ?? false)}
    />
  )
}

/** Whose names a mapping reads; `custom` where they are of no preset. */
function getPreset(mapping: ClaimMapping): string {
  const getNames = ({ rules: _rules, roles_from: _from, ...names }: ClaimMapping) =>
    JSON.stringify(Object.entries(names).toSorted())
  const all = { ...CLAIM_PRESETS, default: DEFAULT_CLAIM_MAPPING }
  return Object.entries(all).find(([, each]) => getNames(each) === getNames(mapping))?.[0] ?? 'custom'
}

/** The names of a preset; rules and where roles are assigned stay. */
function withoutRules(name: string): Partial<ClaimMapping> {
  const {
    rules: _rules,
    roles_from: _from,
    ...names
  } = CLAIM_PRESETS[name as keyof typeof CLAIM_PRESETS] ?? DEFAULT_CLAIM_MAPPING
  return names
}
