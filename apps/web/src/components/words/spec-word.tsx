import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'

/** A word of the reader's language for each value that the specification spells. */
export type Words<Value extends string> = Readonly<Record<Value, MessageDescriptor>>

/** A value of the specification in the reader's language; the specification's spelling stays in the tooltip. */
export function SpecWord<Value extends string>({ value, words }: { value: Value; words: Words<Value> }) {
  const { _ } = useLingui()
  return <span title={value}>{_(words[value])}</span>
}

/** The options of a choice between `true` and `false`, as a hook. */
export const eitherOptions = (words: Partial<Words<'true' | 'false'>>) =>
  function useEitherOptions(): { value: string; label: string }[] {
    const { _ } = useLingui()
    return Object.entries(words).map(([value, word]) => ({ value, label: _(word) }))
  }

/** The options of a choice of `values`, as a hook: named in the reader's language, found by either spelling. */
export const wordOptions = <Value extends string>(words: Words<Value>, values: readonly Value[]) =>
  function useWordOptions(): { value: Value; label: string; title: string }[] {
    const { _ } = useLingui()
    return values.map((value) => ({ value, label: _(words[value]), title: value }))
  }
