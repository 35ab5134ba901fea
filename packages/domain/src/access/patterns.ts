/**
 * Names in roles are matched whole, case-sensitively and in Unicode form NFC, by wildcard (`*` any run, `?` one
 * character) or by RE2 regular expression. Compiling costs up to tens of milliseconds, so it belongs to saving and
 * loading roles, never to a request.
 */
import { PATTERN_LIMITS } from '@custodia/contract'
import { RE2JS } from 're2js'

/** RE2 instructions in one pattern; below this a warm match of 255 characters stays under a millisecond. */
export const PROGRAM_SIZE_LIMIT = 400

export type PatternProblem = 'pattern_empty' | 'pattern_too_long' | 'pattern_invalid' | 'pattern_too_complex'

export type Pattern =
  | { ok: true; matches: (text: string) => boolean }
  | { ok: false; code: PatternProblem; message: string }

/** Compiles one pattern, or says in a sentence why it cannot be used. */
export function compilePattern(
  source: string,
  { is_regex = false }: { is_regex?: boolean | undefined } = {},
): Pattern {
  if (source === '') return refused('pattern_empty', 'A pattern cannot be empty.')
  const pattern = source.normalize('NFC')
  if (pattern.length > PATTERN_LIMITS.characters) {
    return refused('pattern_too_long', `A pattern can have at most ${PATTERN_LIMITS.characters} characters.`)
  }
  return is_regex ? knownRegex(pattern) : { ok: true, matches: normalising(wildcard(pattern)) }
}

/** Expressions that are kept compiled: about 50 MB of the costliest. */
const KEPT = 2048
const kept = new Map<string, Pattern>()
/** Answers that each of them remembers: enough for all actions, whose list is the same each time. */
const ANSWERS = 64

/**
 * Roles are compiled anew whenever tags move, with the same expressions as before, of which each costs milliseconds: those last used
 * are kept.
 */
function knownRegex(pattern: string): Pattern {
  const compiled = kept.get(pattern) ?? compileRegex(pattern)
  kept.delete(pattern)
  kept.set(pattern, compiled)
  const [oldest] = kept.keys()
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  return compiled
}

function compileRegex(pattern: string): Pattern {
  let regex: RE2JS
  try {
    regex = RE2JS.compile(pattern)
  } catch (error) {
    return refused(
      'pattern_invalid',
      error instanceof Error ? error.message : 'This is not a regular expression.',
    )
  }
  const size = regex.programSize()
  if (size > PROGRAM_SIZE_LIMIT) {
    return refused(
      'pattern_too_complex',
      `This regular expression needs ${size} steps; at most ${PROGRAM_SIZE_LIMIT} are allowed.`,
    )
  }
  return {
    ok: true,
    matches: caching(
      normalising((text) => regex.matches(text)),
      ANSWERS,
    ),
  }
}

/** Greedy matching that only ever returns to the last `*`: at most pattern × text steps, no recursion. */
function wildcard(pattern: string): (text: string) => boolean {
  const wanted = getCharacters(pattern)
  return (source) => {
    const text = getCharacters(source)
    let at = 0
    let star = -1
    let starText = 0
    for (let i = 0; i < text.length;) {
      if (wanted[at] === '*') {
        star = at++
        starText = i
      } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === text[i])) {
        at++
        i++
      } else if (star >= 0) {
        at = star + 1
        i = ++starText
      } else return false
    }
    while (wanted[at] === '*') at++
    return at === wanted.length
  }
}

const normalising =
  (matches: (text: string) => boolean) =>
  (source: string): boolean =>
    matches(source.normalize('NFC'))

/** Characters by index; only text with surrogate pairs needs to be taken apart for that. */
const getCharacters = (text: string): ArrayLike<string> =>
  /[\ud800-\udfff]/.test(text) ? Array.from(text) : text

export type PatternList = {
  patterns: readonly Pattern[]
  /** Whether there are patterns and each of them can be used. */
  is_usable: boolean
  /** Whether one of the usable patterns matches. */
  matches: (text: string) => boolean
}

/** Compiles patterns of which any may match. */
export function compileList(
  sources: readonly string[],
  options: { is_regex?: boolean | undefined },
): PatternList {
  const patterns = sources.map((source) => compilePattern(source, options))
  const usable = patterns.filter((pattern) => pattern.ok)
  return {
    patterns,
    is_usable: patterns.length > 0 && usable.length === patterns.length,
    matches: (text) => usable.some((pattern) => pattern.matches(text)),
  }
}

/** Tag keys and values repeat over thousands of groups: each distinct text is matched once, the first `most` of them. */
export function caching(
  matches: (text: string) => boolean,
  most = Number.POSITIVE_INFINITY,
): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const answer = known.get(text) ?? matches(text)
    if (known.size < most) known.set(text, answer)
    return answer
  }
}

function refused(code: PatternProblem, message: string): Pattern {
  return { ok: false, code, message }
}
