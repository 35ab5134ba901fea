import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PATTERN_LIMITS } from '@custodia/contract'
import fc from 'fast-check'
import { compilePattern } from './patterns.ts'

function matches(source: string, text: string, is_regex = false): boolean {
  const pattern = compilePattern(source, { is_regex })
  assert.ok(pattern.ok, `${source} was refused`)
  return pattern.matches(text)
}
function fault(source: string, is_regex = false): string | undefined {
  const pattern = compilePattern(source, { is_regex })
  return pattern.ok ? undefined : pattern.code
}

describe('wildcards', () => {
  const table: [string, string, boolean][] = [
    ['payloads:*', 'payloads.audit:read', false],
    ['payloads:*', 'payloads:', true],
    ['?', '', false],
    ['?', '😀', true],
    ['North', 'north', false],
    ['[a]', 'a', false],
    ['line*', 'line\nbreak', true],
    ['Caf\u00e9', 'Cafe\u0301', true],
    ['Cafe\u0301', 'Caf\u00e9', true],
  ]
  for (const [pattern, text, expected] of table) {
    it(`${JSON.stringify(pattern)} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
      assert.equal(matches(pattern, text), expected)
    })
  }

  it('agree with regular expressions on any pattern and text', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.'), maxLength: 9, minLength: 1 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 })
    fc.assert(
      fc.property(short, text, (pattern, subject) => {
        const duplicate = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
        assert.equal(matches(pattern, subject), new RegExp(`^${duplicate}$`).test(subject))
      }),
      { numRuns: 500 },
    )
  })

  it('match in time proportional to pattern times text', () => {
    const pattern = compilePattern('*a'.repeat(64))
    assert.ok(pattern.ok)
    const start = process.cpuUsage().user
    assert.equal(pattern.matches('a'.repeat(50) + 'b'.repeat(205)), false)
    assert.ok(process.cpuUsage().user - start < 200_000)
  })
})

describe('regular expressions', () => {
  it('match whole texts, case-sensitively', () => {
    assert.equal(matches('North|South', 'South', true), true)
    assert.equal(matches('North|South', 'Northern', true), false)
    assert.equal(matches('^North$', 'North', true), true)
    assert.equal(matches('north', 'North', true), false)
    assert.equal(matches('North', 'North\n', true), false)
  })
  it('are rejected when RE2 does not support their syntax', () => {
    for (const source of ['(', '[', '(?=x)', '(?<=a)b', '(a)\\1', 'x{1001}', 'a)(?:b']) {
      assert.equal(fault(source, true), 'pattern_invalid', source)
    }
  })
  it('are rejected when the compiled program is too large', () => {
    assert.equal(fault('a{1,50}', true), undefined)
    assert.equal(fault('(a{1,50}){1,20}', true), 'pattern_too_complex')
  })
})

describe('limits of patterns', () => {
  it('apply at the given number of characters', () => {
    for (const is_regex of [false, true]) {
      assert.equal(fault('a'.repeat(PATTERN_LIMITS.characters), is_regex), undefined)
      assert.equal(fault('a'.repeat(PATTERN_LIMITS.characters + 1), is_regex), 'pattern_too_long')
      assert.equal(fault('', is_regex), 'pattern_empty')
    }
  })
})

/** Accepted patterns to measure; a run can be repeated with its seed, which it prints. */
const PATTERNS = process.env['TEST_LONG'] ? 100_000 : 2000
const SEED = Number(process.env.PATTERNS_SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))
/** What runs away takes seconds, and what does not a fraction of a millisecond: between them a slow machine does not matter. */
const LIMIT_MS = 25
/** Garbage collection and other programs only ever add time, so the best of several counts. */
const TRIES = { at_first: 2, in_doubt: 40 }
const UNCERTAIN_MS = 1
/** Longest text that is matched: a group reference, tag key or tag value. */
const TEXT_CHARACTERS = 255

/** Parts of classic runaway expressions. */
const ATOMS =
  'a b . \\w [a-z] [^b] \\pL \\b x* a{1,50} (a+) (a|aa) (.*) (a*)* (\\w+\\s?) (.+)+ (?:a?){9} (a|b|ab)*c'.split(
    ' ',
  )
const REPEATS = ['', '', '*', '+', '?', '{2,20}', '{0,9}', '*?', '|']
const WILD = ['a', 'a', '*', '*', '?', 'b', '*a', 'é', '😀']

/** Numerical Recipes' linear congruential generator: small, and the same everywhere. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('patterns that users may save', () => {
  it(`match quickly in ${PATTERNS} cases`, (t) => {
    t.diagnostic(`seed ${SEED}`)
    const below = generator(SEED)
    const pick = (list: readonly string[]): string => list[below(list.length)] ?? ''
    let accepted = 0
    let slowest = { ms: 0, source: '' }
    for (let tried = 0; accepted < PATTERNS; tried++) {
      assert.ok(tried < PATTERNS * 3, `only ${accepted} of ${tried} patterns were accepted`)
      const is_regex = below(4) > 0
      const parts = Array.from({ length: 1 + below(is_regex ? 10 : 60) }, () =>
        is_regex ? pick(ATOMS) + pick(REPEATS) : pick(WILD),
      )
      const source = parts.join('').slice(0, PATTERN_LIMITS.characters)
      const pattern = compilePattern(source, { is_regex })
      if (!pattern.ok) continue
      accepted++
      const length = below(TEXT_CHARACTERS)
      // Another text each time: answers are remembered.
      const ms = fastest((time) => pattern.matches(`${'a'.repeat(length)}${time}!`))
      if (ms > slowest.ms) slowest = { ms, source }
    }
    t.diagnostic(`slowest ${slowest.ms.toFixed(3)} ms: ${slowest.source}`)
    assert.ok(slowest.ms < LIMIT_MS, `seed ${SEED}: ${slowest.source} took ${slowest.ms} ms`)
  })
})

/** Milliseconds of the fastest of a few runs; many runs, while it seems slow. */
function fastest(run: (time: number) => void): number {
  let best = Infinity
  for (let i = 0; i < (best < UNCERTAIN_MS ? TRIES.at_first : TRIES.in_doubt); i++) {
    const start = performance.now()
    run(i)
    best = Math.min(best, performance.now() - start)
  }
  return best
}
