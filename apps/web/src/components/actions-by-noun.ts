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
