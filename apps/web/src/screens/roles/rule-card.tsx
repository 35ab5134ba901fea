import type { RoleReview } from '@custodia/contract'
import { PATTERN_LIMITS } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, Group, SegmentedControl, Switch, Text, Title } from '@mantine/core'
import { useRef } from 'react'
import { GroupSample } from '../../components/names.tsx'
import { actionWords, nounWord } from '../../components/words/permission-words.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { PatternInput } from './pattern-input.tsx'
import { isEmptyCondition, newCondition, type RuleDraft } from './role-draft.ts'
import classes from './role-editor.module.css'

interface RuleProps {
  rule: RuleDraft
  index: number
  count: number
  onChange: (rule: RuleDraft) => void
  onMove: (to: number) => void
  onRemove: () => void
  errorAt: (path: string) => string | undefined
  review: RoleReview | undefined
  offered: readonly string[]
  isReadOnly: boolean
}

/** One rule: allow or deny, actions and groups, with its current matches below. */
export function RuleCard(props: RuleProps) {
  const { t } = useLingui()
  const { rule, index, onChange, errorAt, review, isReadOnly } = props
  const number = index + 1
  const path = `permissions.${index}`
  const set = (changes: Partial<RuleDraft>) => onChange({ ...rule, ...changes })
  const { conditions } = rule
  const isFinished = rule.actions_matching.length > 0 && !conditions.some(isEmptyCondition)
  const frame = useRef<HTMLElement>(null)
  const addCondition = () => {
    const condition = newCondition(conditions)
    set({ conditions: [...conditions, condition] })
    const field = `[data-condition="${condition.id}"] input:not([type=radio], [type=checkbox])`
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(field)?.focus())
  }
  const preview = review?.permissions[index]
  return (
    <section
      ref={frame}
      className={classes.rule}
      data-denied={rule.is_denied || undefined}
      data-rule={rule.id}
      aria-labelledby={`rule-${rule.id}`}
    >
      <RuleHead {...props} />
      <RuleActions {...props} />
      <Switch
        size="xs"
        label={t`Regular expressions`}
        aria-label={t`Regular expressions in rule ${number}`}
        description={rule.is_regex ? undefined : t`If off: * matches any characters, ? exactly one`}
        checked={rule.is_regex}
        onChange={(event) => set({ is_regex: event.currentTarget.checked })}
        disabled={isReadOnly}
      />
      {conditions.map((condition, k) => (
        <ConditionFields
          key={condition.id}
          condition={condition}
          place={t`rule ${number}, condition ${k + 1}`}
          path={`${path}.conditions.${k}`}
          onChange={(next) =>
            set({ conditions: conditions.map((each) => (each.id === next.id ? next : each)) })
          }
          onRemove={() => set({ conditions: conditions.filter(({ id }) => id !== condition.id) })}
          errorAt={errorAt}
          isReadOnly={isReadOnly}
        />
      ))}
      <Group justify="space-between" gap="xs">
        {!isReadOnly && conditions.length < PATTERN_LIMITS.conditions && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            onClick={addCondition}
          >
            {conditions.length === 0 ? <Trans>Only in some groups</Trans> : <Trans>Or in other groups</Trans>}
          </Button>
        )}
        {preview !== undefined && isFinished && <Matches preview={preview} rule={rule} />}
      </Group>
    </section>
  )
}

function RuleHead({ rule, index, count, onChange, onMove, onRemove, isReadOnly }: RuleProps) {
  const { t } = useLingui()
  const number = index + 1
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        {!isReadOnly && count > 1 && (
          <span className={classes.grip} data-grip draggable aria-hidden>
            <Icon name="menu" size={16} />
          </span>
        )}
        <Title order={3} id={`rule-${rule.id}`}>
          <Trans>Rule {number}</Trans>
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t`Effect of rule ${number}`}
          readOnly={isReadOnly}
          data={[
            { value: 'allow', label: t`Allow` },
            { value: 'deny', label: t`Deny` },
          ]}
          value={rule.is_denied ? 'deny' : 'allow'}
          onChange={(next) => onChange({ ...rule, is_denied: next === 'deny' })}
        />
      </Group>
      {!isReadOnly && (
        <Group gap={2}>
          <RuleButton
            icon="arrow-up"
            label={t`Move rule ${number} up`}
            isOff={index === 0}
            onClick={() => onMove(index - 1)}
          />
          <RuleButton
            icon="arrow-down"
            label={t`Move rule ${number} down`}
            isOff={index === count - 1}
            onClick={() => onMove(index + 1)}
          />
          <RuleButton icon="trash" label={t`Remove rule ${number}`} isOff={count === 1} onClick={onRemove} />
        </Group>
      )}
    </Group>
  )
}

/** Patterns of actions, with remarks of the review. */
function RuleActions({ rule, index, onChange, errorAt, review, offered, isReadOnly }: RuleProps) {
  const { t } = useLingui()
  const number = index + 1
  const path = `permissions.${index}`
  const example = rule.is_regex ? 'payloads:(list|read)' : 'payloads:*'
  const remarks = rule.actions_matching.flatMap((pattern, k) => {
    const fault = review?.warnings.find((warning) => warning.path === `${path}.actions_matching.${k}`)
    const isAsReviewed = review?.permissions[index]?.patterns[k]?.pattern === pattern
    return fault === undefined || !isAsReviewed ? [] : [{ pattern, fault }]
  })
  // A fault of the whole rule, such as too many patterns, shows at its first patterns.
  const isWhole = rule.conditions.every((_, k) => errorAt(`${path}.conditions.${k}`) === undefined)
  return (
    <PatternInput
      label={t`Actions`}
      accessibleLabel={t`Actions of rule ${number}`}
      placeholder={t`e.g. ${example}`}
      value={rule.actions_matching}
      onChange={(actions_matching) => onChange({ ...rule, actions_matching })}
      isRegex={rule.is_regex}
      offered={offered}
      explain={(pattern) => {
        const [noun = '', verb] = pattern.split(':', 2)
        if (pattern === '*') return t`Everything`
        const about = nounWord(noun)
        return verb === '*' && about !== noun ? t`All entries: ${about}` : actionWords(pattern)
      }}
      separators={[',', ' ']}
      error={errorAt(`${path}.actions_matching`) ?? (isWhole ? errorAt(path) : undefined)}
      remarks={isReadOnly ? [] : remarks}
      isReadOnly={isReadOnly}
    />
  )
}

function Matches(props: { preview: RoleReview['permissions'][number]; rule: RuleDraft }) {
  const {
    preview,
    rule: { conditions },
  } = props
  const matched = new Set(preview.patterns.flatMap(({ actions }) => actions)).size
  return (
    <Text size="sm" c="dimmed" component="div" className="tabular">
      <Plural value={matched} one="matches # action" other="matches # actions" />
      {' · '}
      {conditions.length === 0 ? (
        <Trans>everywhere</Trans>
      ) : (
        <Trans>
          in <GroupSample sample={preview.groups} />
        </Trans>
      )}
    </Text>
  )
}

/** A disabled move button stays in the tab order, so that it keeps the focus at the end of the list. */
function RuleButton(props: {
  icon: 'arrow-up' | 'arrow-down' | 'trash'
  label: string
  isOff: boolean
  onClick: () => void
}) {
  return (
    <ActionIcon
      size={28}
      variant="subtle"
      color="gray"
      aria-label={props.label}
      aria-disabled={props.isOff || undefined}
      data-disabled={props.isOff || undefined}
      onClick={() => {
        if (!props.isOff) props.onClick()
      }}
    >
      <Icon name={props.icon} size={15} />
    </ActionIcon>
  )
}
