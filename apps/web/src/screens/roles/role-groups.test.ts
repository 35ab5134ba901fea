import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCondition, newRule, type RuleDraft } from './role-draft.ts'
import { groupsOfRules, limitRules } from './role-groups.ts'

const rule = (actions_matching: string[], change: Partial<RuleDraft> = {}): RuleDraft => ({
  ...newRule([]),
  actions_matching,
  ...change,
})
const shown = (rules: readonly RuleDraft[]) =>
  rules.map(({ actions_matching, conditions }) => [
    actions_matching.join(' '),
    ...conditions.flatMap(({ names_matching }) => names_matching),
  ])

test('a role is limited to groups, and actions without groups keep their effect', () => {
  const rules = [rule(['profile:read', 'payloads:*', 'tags:list'])]
  assert.deepEqual(groupsOfRules(rules), [])
  const south = limitRules(rules, ['South'])
  assert.deepEqual(shown(south), [['payloads:*', 'South'], ['profile:read tags:list']])
  assert.deepEqual(groupsOfRules(south), ['South'])
  const both = limitRules(south, ['North', 'South'])
  assert.deepEqual(groupsOfRules(both), ['North', 'South'])
  assert.deepEqual(shown(limitRules(both, [])), [['payloads:*'], ['profile:read tags:list']])
})

test('a pattern of both kinds is split, and comes back whole', () => {
  const limited = limitRules([rule(['*'])], ['South'])
  assert.deepEqual(shown(limited)[0], ['*', 'South'])
  assert.ok(limited.length > 1 && limited.slice(1).every(({ conditions }) => conditions.length === 0))
  assert.deepEqual(shown(limitRules(limited, [])), [['*']])
})

test('rules beyond a list of groups are for experts', () => {
  const named = (names: string[]) => [{ ...newCondition([]), names_matching: names }]
  for (const rules of [
    [rule(['payloads:.*'], { is_regex: true })],
    [rule(['payloads:*'], { conditions: named(['S*']) })],
    [rule(['payloads:*'], { conditions: named(['South']) }), rule(['devices:list'])],
    [rule(['payloads:*'], { conditions: [{ ...newCondition([]), keys_matching: ['desk'] }] })],
  ])
    assert.equal(groupsOfRules(rules), undefined)
})
