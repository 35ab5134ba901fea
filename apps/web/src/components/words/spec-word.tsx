import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'

/** Translation of each value of the specification. */
export type Words<Value extends string> = Readonly<Record<Value, MessageDescriptor>>

/** A translated value; the tooltip has the specification's spelling. */
export function SpecWord<Value extends string>({ value, words }: { value: Value; words: Words<Value> }) {
  const { _ } = useLingui()
  return <span title={value}>{_(words[value])}</span>
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
