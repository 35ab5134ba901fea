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
export function compilePattern(source: string, { is_regex = false }: { is_regex?: boolean } = {}): Pattern {
  if (source === '') return refused('pattern_empty', 'A pattern cannot be empty.')
  const pattern = source.normalize('NFC')
  if (pattern.length > PATTERN_LIMITS.characters) {
    return refused('pattern_too_long', `A pattern can have at most ${PATTERN_LIMITS.characters} characters.`)
  }
  return is_regex ? compileRegex(pattern) : { ok: true, matches: remembering(wildcard(pattern)) }
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
  return { ok: true, matches: remembering((text) => regex.matches(text)) }
}

/** Greedy matching that only ever returns to the last `*`: at most pattern × text steps, no recursion. */
function wildcard(pattern: string): (text: string) => boolean {
  const wanted = Array.from(pattern)
  return (source) => {
    const text = Array.from(source)
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

/** Tag keys and values repeat over thousands of groups; each distinct text is matched once per compilation. */
function remembering(matches: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (source) => {
    let answer = known.get(source)
    if (answer === undefined) known.set(source, (answer = matches(source.normalize('NFC'))))
    return answer
  }
}

function refused(code: PatternProblem, message: string): Pattern {
  return { ok: false, code, message }
}
