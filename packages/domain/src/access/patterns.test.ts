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
    ['payloads:*', 'payloads:list', true],
    ['payloads:*', 'payloads.audit:read', false],
    ['payloads:*', 'payloads:', true],
    ['*', '', true],
    ['**', 'x', true],
    ['?', '', false],
    ['?', '😀', true],
    ['North?', 'North', false],
    ['North', 'north', false],
    ['North', 'North 1', false],
    ['orth', 'North', false],
    ['a.c', 'abc', false],
    ['[a]', 'a', false],
    ['a*b*c', 'aXbXbXc', true],
    ['a*b*c', 'aXbXbX', false],
    ['*ab', 'aab', true],
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
      { numRuns: 3000 },
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
