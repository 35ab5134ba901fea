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
