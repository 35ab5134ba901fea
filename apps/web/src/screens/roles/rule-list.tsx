import { PATTERN_LIMITS, type RoleReview } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Input, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { type DragEvent, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { moveRule, newRule, type RuleDraft } from './role-draft.ts'
import { RuleCard } from './rule-card.tsx'
import classes from './role-editor.module.css'

/** Rules of a role in order, movable by buttons or drag. */
export function RuleList(props: {
  rules: readonly RuleDraft[]
  onChange: (rules: RuleDraft[]) => void
  errorAt: (path: string) => string | undefined
  review: RoleReview | undefined
  offered: readonly string[]
  isReadOnly: boolean
}) {
  const { rules, onChange, errorAt, isReadOnly } = props
  const { frame, move, add, remove, announced } = useRuleChanges(rules, onChange)
  const getSlot = useDragging(move)
  const error = errorAt('permissions')
  const isOwnError =
    error !== undefined && rules.every((_, index) => errorAt(`permissions.${index}`) === undefined)
  return (
    <section aria-labelledby="role-rules">
      <Title order={2} id="role-rules">
        <Trans>Rules</Trans>
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        <Trans>Rules grant permissions. A deny overrides every allow, across all roles of a person.</Trans>
      </Text>
      <Stack gap="sm" ref={frame}>
        {rules.map((rule, index) => (
          <div key={rule.id} {...getSlot(index)} className={classes.slot}>
            <RuleCard
              rule={rule}
              index={index}
              count={rules.length}
              onChange={(next) => onChange(rules.map((each) => (each.id === next.id ? next : each)))}
              onMove={(to) => move(index, to)}
              onRemove={() => remove(index)}
              errorAt={errorAt}
              review={props.review}
              offered={props.offered}
              isReadOnly={isReadOnly}
            />
          </div>
        ))}
        {isOwnError && <Input.Error component="div">{error}</Input.Error>}
        {!isReadOnly && rules.length < PATTERN_LIMITS.permissions && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={add}
            style={{ alignSelf: 'flex-start' }}
          >
            <Trans>Add rule</Trans>
          </Button>
        )}
      </Stack>
      <VisuallyHidden component="output" aria-live="polite">
        {announced}
      </VisuallyHidden>
    </section>
  )
}

/** Moves, adds and removes rules; the focus follows, and a move is announced. */
function useRuleChanges(rules: readonly RuleDraft[], onChange: (rules: RuleDraft[]) => void) {
  const { t } = useLingui()
  const [announced, setAnnounced] = useState('')
  const frame = useRef<HTMLDivElement>(null)

  const move = (from: number, to: number) => {
    onChange(moveRule(rules, from, to))
    setAnnounced(t`Rule ${from + 1} is now rule ${to + 1}`)
  }
  const focusSoon = (id: number) =>
    requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-rule="${id}"] input:not([type=radio])`)?.focus(),
    )
  const add = () => {
    const rule = newRule(rules)
    onChange([...rules, rule])
    focusSoon(rule.id)
  }
  const remove = (index: number) => {
    const next = rules[index + 1] ?? rules[index - 1]
    onChange(rules.filter((_, place) => place !== index))
    if (next !== undefined) focusSoon(next.id)
  }
  return { frame, move, add, remove, announced }
}

/** Props of each rule's slot, so that a grip drags a rule to another place. */
function useDragging(onMove: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  return (index: number) => ({
    'data-over': (over === index && dragged !== index) || undefined,
    onDragStart: (event: DragEvent) => {
      if (!(event.target instanceof Element) || !event.target.closest('[data-grip]')) return
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setDragImage(event.currentTarget, 12, 12)
      setDragged(index)
    },
    onDragOver: (event: DragEvent) => {
      if (dragged === undefined) return
      event.preventDefault()
      setOver(index)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      if (dragged !== undefined) onMove(dragged, index)
    },
    onDragEnd: () => {
      setDragged(undefined)
      setOver(undefined)
    },
  })
}
