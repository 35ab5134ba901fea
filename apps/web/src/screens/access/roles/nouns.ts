import type { ActionPreview } from '@custodia/contract'

/** The actions of one noun, e.g. all of `payloads:…`. */
export interface Noun {
  noun: string
  /** Allowed and denied ones, in the order given. */
  decided: ActionPreview[]
  unmatched: ActionPreview[]
}

/** Actions by noun; nouns with something allowed or denied come first, both parts by name. */
export function byNoun(actions: readonly ActionPreview[]): Noun[] {
  const nouns = new Map<string, Noun>()
  for (const action of actions) {
    const noun = action.action.split(':', 1)[0] ?? ''
    const entry = nouns.get(noun) ?? { noun, decided: [], unmatched: [] }
    ;(action.outcome === 'unmatched' ? entry.unmatched : entry.decided).push(action)
    nouns.set(noun, entry)
  }
  return [...nouns.values()].toSorted(
    (a, b) => Number(b.decided.length > 0) - Number(a.decided.length > 0) || (a.noun < b.noun ? -1 : 1),
  )
}

/** What can be typed as a pattern: all of a noun, then each action by itself. */
export function suggestions(actions: readonly string[]): string[] {
  const all = [...new Set(actions)].toSorted()
  const nouns = [...new Set(all.map((action) => `${action.split(':', 1)[0]}:*`))]
  return [...nouns, ...all]
}
