/**
 * Whether a name matches a pattern with `*` (any characters) and `?` (one), as on the server. Runs in time
 * proportional to both lengths.
 */
export function matchesWildcards(pattern: string, name: string): boolean {
  // Reachable pattern positions after each character.
  let reached = [true, ...Array.from(pattern, () => false)]
  const pass = (at: boolean[]) => {
    for (let i = 0; i < pattern.length; i++) if (at[i] && pattern[i] === '*') at[i + 1] = true
    return at
  }
  pass(reached)
  for (const letter of name) {
    const next = reached.map(() => false)
    for (let i = 0; i < pattern.length; i++) {
      if (!reached[i]) continue
      if (pattern[i] === '*') next[i] = true
      else if (pattern[i] === '?' || pattern[i] === letter) next[i + 1] = true
    }
    reached = pass(next)
  }
  return reached[pattern.length] === true
}

/** Groups actions by noun: `payloads` → `list, play`; both in alphabetical order. */
export function actionsByNoun(actions: readonly string[]): { noun: string; verbs: string[] }[] {
  const nouns = new Map<string, string[]>()
  for (const action of actions.toSorted()) {
    const at = action.indexOf(':')
    const noun = at < 0 ? action : action.slice(0, at)
    const verbs = nouns.get(noun) ?? []
    nouns.set(noun, at < 0 ? verbs : [...verbs, action.slice(at + 1)])
  }
  return [...nouns].map(([noun, verbs]) => ({ noun, verbs })).toSorted((a, b) => (a.noun < b.noun ? -1 : 1))
}
