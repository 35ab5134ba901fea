import { type ActionPreview, EXPECTATIONS, type PayloadType } from '@custodia/contract'

/** Actions of one noun, e.g. all `payloads:…`. */
interface Noun {
  noun: string
  /** Number of allowed actions. */
  allowed: number
  /** Allowed and denied actions in the given order. */
  decided: ActionPreview[]
  unmatched: ActionPreview[]
}

/** Groups actions by noun: nouns with allowed actions, then denied, then others, each by name. */
export function byNoun(actions: readonly ActionPreview[]): Noun[] {
  const nouns = new Map<string, Noun>()
  for (const action of actions) {
    const noun = action.action.split(':', 1)[0] ?? ''
    const entry = nouns.get(noun) ?? { noun, allowed: 0, decided: [], unmatched: [] }
    ;(action.outcome === 'unmatched' ? entry.unmatched : entry.decided).push(action)
    if (action.outcome === 'allowed') entry.allowed++
    nouns.set(noun, entry)
  }
  const rank = ({ allowed, decided }: Noun) => (allowed > 0 ? 0 : decided.length > 0 ? 1 : 2)
  return [...nouns.values()].toSorted((a, b) => rank(a) - rank(b) || (a.noun < b.noun ? -1 : 1))
}

/** Suggestions for patterns: each whole noun, then single actions. */
export function suggestions(actions: readonly string[]): string[] {
  const all = [...new Set(actions)].toSorted()
  const nouns = [...new Set(all.map((action) => `${action.split(':', 1)[0]}:*`))]
  return [...nouns, ...all]
}

/**
 * Companion permissions that a role lacks.
 * @param payload_types of the role; none: all
 */
export function unmatchedBy(
  actions: readonly Pick<ActionPreview, 'action' | 'outcome'>[],
  payload_types: readonly PayloadType[],
): typeof EXPECTATIONS {
  const allowed = new Set(actions.flatMap(({ action, outcome }) => (outcome === 'allowed' ? [action] : [])))
  return EXPECTATIONS.filter(
    ({ with: has, without, types }) =>
      allowed.has(has) &&
      !allowed.has(without) &&
      (types === undefined ||
        payload_types.length === 0 ||
        types.some((type) => payload_types.includes(type))),
  )
}
