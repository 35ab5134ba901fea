import { PATTERN_LIMITS, type Fault } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Pill, TagsInput, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { faultText } from '../../api/failure-text.ts'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { Icon } from '../../ui/icon.tsx'

/** Initial suggestions; typing narrows them. */
const OFFERED = 60

interface Remark {
  pattern: string
  fault: Fault
}

/** Input for a list of patterns. Faults block saving; remarks are shown in another colour with a word. */
export function PatternInput(props: {
  label: string
  /** Accessible name with its rule. */
  accessibleLabel: string
  description?: ReactNode
  placeholder?: string
  value: readonly string[]
  onChange: (patterns: string[]) => void
  isRegex: boolean
  offered?: readonly string[]
  explain?: (pattern: string) => string
  /** Characters that end a pattern; none where patterns may contain them. */
  separators?: string[]
  error: string | undefined
  remarks?: readonly Remark[]
  isReadOnly: boolean
}) {
  const { t } = useLingui()
  const { value, isRegex, isReadOnly, remarks = [] } = props
  // The library's field opens its list on arrow keys only, and leaves it open over content below.
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <TagsInput
        label={props.label}
        aria-label={props.accessibleLabel}
        description={props.description}
        placeholder={value.length === 0 && !isReadOnly ? props.placeholder : undefined}
        value={[...value]}
        onChange={props.onChange}
        data={isRegex ? [] : [...(props.offered ?? [])]}
        limit={OFFERED}
        {...(props.explain && explained(props.explain, isRegex, isReadOnly))}
        maxDropdownHeight={260}
        dropdownOpened={isOpen && !isReadOnly}
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onSearchChange={(typed) => setOpen(typed !== '')}
        onOptionSubmit={() => setOpen(false)}
        maxTags={PATTERN_LIMITS.per_list}
        splitChars={isRegex ? [] : (props.separators ?? [])}
        error={props.error}
        {...readOnlyLook(isReadOnly)}
        clearable={value.length > 1 && !isReadOnly}
        clearButtonProps={{ 'aria-label': t`Clear` }}
        styles={isRegex ? { pill: { fontFamily: 'var(--mantine-font-family-monospace)' } } : {}}
      />
      <Remarks remarks={remarks} />
    </div>
  )
}

/** Options and selected patterns with their meaning. */
const explained = (explain: (pattern: string) => string, isRegex: boolean, isReadOnly: boolean) => ({
  renderOption: ({ option: { value: offered } }: { option: { value: string } }) => (
    <span>
      {offered}
      <Text span display="block" size="xs" c="dimmed">
        {explain(offered)}
      </Text>
    </span>
  ),
  // The selected items show labels only.
  ...(!isRegex && {
    renderPill: ({ value: pattern = '', onRemove }: { value?: string; onRemove?: () => void }) => (
      <Pill withRemoveButton={!isReadOnly} onRemove={onRemove} title={pattern} maw="100%">
        {explain(pattern)}
      </Pill>
    ),
  }),
})

/** Remarks on patterns, each text once. */
function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  const { i18n } = useLingui()
  const byText = new Map<string, string[]>()
  for (const { pattern, fault } of remarks) {
    const text = faultText(fault, i18n)
    byText.set(text, [...(byText.get(text) ?? []), pattern])
  }
  return (
    <>
      {[...byText].map(([text, patterns]) => (
        <Text
          key={text}
          size="sm"
          mt={4}
          c="light-dark(color-mix(in srgb, var(--mantine-color-orange-9), black 25%), var(--mantine-color-orange-2))"
          component="div"
          style={{ overflowWrap: 'anywhere' }}
        >
          <Icon name="warning" size={13} /> <strong>{patterns.join(', ')}</strong>: {text}
        </Text>
      ))}
    </>
  )
}
