import type { ClaimRule } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Group, Paper, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { IN_PLACE } from '../../ui/form/in-place.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'

/** Roles and groups that rules may name. */
export interface RuleChoices {
  roles: readonly string[]
  groups: readonly string[]
}

/** One rule of a claim mapping: a value with its roles and groups. */
export function RuleFields({
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
