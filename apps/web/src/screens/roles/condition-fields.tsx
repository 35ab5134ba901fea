import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Group, Input, SegmentedControl, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { groupChoicesQuery, tagDefinitionsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { PatternInput } from './pattern-input.tsx'
import { type ConditionDraft, isEmptyCondition } from './role-draft.ts'
import classes from './role-editor.module.css'

interface ConditionProps {
  condition: ConditionDraft
  /** 'rule 1, condition 2' */
  place: string
  path: string
  onChange: (condition: ConditionDraft) => void
  onRemove: () => void
  errorAt: (path: string) => string | undefined
  isReadOnly: boolean
}

/** One condition: groups by name, tag key and tag value; all filled fields must match. */
export function ConditionFields(props: ConditionProps) {
  const { t } = useLingui()
  const { condition, place, path, onChange, errorAt, isReadOnly } = props
  const may = useMay()
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: may('groups:list') && !isReadOnly })
  const { data: tags = [] } = useQuery({ ...tagDefinitionsQuery, enabled: may('tags:list') && !isReadOnly })
  const set = (changes: Partial<ConditionDraft>) => onChange({ ...condition, ...changes })
  const field = (name: 'names_matching' | 'keys_matching' | 'values_matching', label: string) => ({
    label,
    accessibleLabel: `${label}, ${place}`,
    value: condition[name],
    onChange: (patterns: string[]) => set({ [name]: patterns }),
    isRegex: condition.is_regex,
    error: errorAt(`${path}.${name}`),
    isReadOnly,
  })
  const values = tags
    .filter(
      ({ tag_key }) => condition.keys_matching.length === 0 || condition.keys_matching.includes(tag_key),
    )
    .flatMap(({ tag_values }) => tag_values ?? [])
  return (
    <div
      className={classes.condition}
      data-denied={condition.is_denied || undefined}
      data-condition={condition.id}
    >
      <ConditionEffect {...props} />
      <PatternInput
        {...field('names_matching', t`Name`)}
        offered={groups.map(({ group_reference }) => group_reference)}
        separators={[',']}
      />
      <div className={classes.pair}>
        <PatternInput
          {...field('keys_matching', t`Tag key`)}
          offered={tags.map(({ tag_key }) => tag_key)}
          separators={[',']}
        />
        <PatternInput {...field('values_matching', t`Tag value`)} offered={[...new Set(values)]} />
      </div>
      {isEmptyCondition(condition) && errorAt(path) !== undefined && (
        <Input.Error component="div">{errorAt(path)}</Input.Error>
      )}
      {condition.keys_matching.length > 0 && condition.values_matching.length > 0 && (
        <Text size="xs" c="dimmed">
          <Trans>Key and value must belong to the same tag.</Trans>
        </Text>
      )}
    </div>
  )
}

/** Whether the condition includes or excludes groups, and how its patterns are read. */
function ConditionEffect({ condition, place, onChange, onRemove, isReadOnly }: ConditionProps) {
  const { t } = useLingui()
  const set = (changes: Partial<ConditionDraft>) => onChange({ ...condition, ...changes })
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t`Effect of ${place}`}
          readOnly={isReadOnly}
          data={[
            { value: 'in', label: t`Only groups` },
            { value: 'out', label: t`Not groups` },
          ]}
          value={condition.is_denied ? 'out' : 'in'}
          onChange={(next) => set({ is_denied: next === 'out' })}
        />
        <Switch
          size="xs"
          label={t`Regular expressions`}
          aria-label={t`Regular expressions, ${place}`}
          checked={condition.is_regex}
          onChange={(event) => set({ is_regex: event.currentTarget.checked })}
          disabled={isReadOnly}
        />
      </Group>
      {!isReadOnly && (
        <ActionIcon
          size={28}
          variant="subtle"
          color="gray"
          aria-label={t`Remove ${place}`}
          onClick={onRemove}
        >
          <Icon name="x" size={15} />
        </ActionIcon>
      )}
    </Group>
  )
}
