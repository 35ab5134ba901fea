import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'

/** Translation of each value of the specification. */
export type Words<Value extends string> = Readonly<Record<Value, MessageDescriptor>>

/** A translated value; the tooltip has the specification's spelling. */
export function SpecWord<Value extends string>({ value, words }: { value: Value; words: Words<Value> }) {
  const { _ } = useLingui()
  return <span title={value}>{_(words[value])}</span>
}

export type BadgeStyles<Value extends string> = Readonly<Record<Value, { color: string; icon: IconName }>>

/** A translated value as icon, word and colour. */
export function WordBadge<Value extends string>(props: {
  value: Value
  words: Words<Value>
  styles: BadgeStyles<Value>
}) {
  const { color, icon } = props.styles[props.value]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      <SpecWord value={props.value} words={props.words} />
    </Badge>
  )
}

/** Options for `true` and `false`, as a hook. */
export const eitherOptions = (words: Partial<Words<'true' | 'false'>>) =>
  function useEitherOptions(): { value: string; label: string }[] {
    const { _ } = useLingui()
    return Object.entries(words).map(([value, word]) => ({ value, label: _(word) }))
  }

/** Options for `values`, as a hook: translated, found by either spelling. */
export const wordOptions = <Value extends string>(words: Words<Value>, values: readonly Value[]) =>
  function useWordOptions(): { value: Value; label: string; title: string }[] {
    const { _ } = useLingui()
    return values.map((value) => ({ value, label: _(words[value]), title: value }))
  }

/** Filter by values of the specification, by default all that have a word, in the order of the words. */
export const wordFilter = <const Name extends string, Value extends string>(
  name: Name,
  label: MessageDescriptor,
  words: Words<Value>,
  more: { values?: readonly Value[]; isSingle?: true; isRare?: true } = {},
) => {
  const { values = Object.keys(words) as Value[], ...look } = more
  return { kind: 'choice', name, label, useOptions: wordOptions(words, values), ...look } as const
}

/** Filter by a truth value. */
export const eitherFilter = <const Name extends string>(
  name: Name,
  label: MessageDescriptor,
  words: Partial<Words<'true' | 'false'>>,
  look: { isRare?: true } = {},
) => ({ kind: 'choice', name, label, isSingle: true, useOptions: eitherOptions(words), ...look }) as const
