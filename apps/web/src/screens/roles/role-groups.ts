import { PATTERN_LIMITS, PERMISSION_WORDS } from '@custodia/contract'
import { matchesWildcards } from '../../components/words/action-patterns.ts'
import { ACCOUNT_NAMES } from './account-actions.ts'
import { newCondition, newRule, type RuleDraft } from './role-draft.ts'

const isOfAccount = (action: string): boolean => ACCOUNT_NAMES.includes(action)
const getActions = (pattern: string): string[] =>
  Object.keys(PERMISSION_WORDS).filter((action) => matchesWildcards(pattern, action))

/** Patterns of actions without groups; one that also matches others is replaced by such actions. */
const accountPatterns = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => {
    const actions = getActions(pattern)
    const ofAccount = actions.filter(isOfAccount)
    return ofAccount.length === actions.length && actions.length > 0 ? [pattern] : ofAccount
  })

/** Patterns with an action that concerns groups. */
const groupPatterns = (patterns: readonly string[]): string[] =>
  patterns.filter((pattern) => accountPatterns([pattern])[0] !== pattern)

/** Lists of at most as many patterns as a rule may have. */
function getChunks(patterns: readonly string[]): string[][] {
  const size = PATTERN_LIMITS.per_list
  const count = Math.ceil(patterns.length / size)
  return Array.from({ length: count }, (_, index) => patterns.slice(index * size, (index + 1) * size))
}

const numbered = (rules: readonly RuleDraft[]): RuleDraft[] =>
  rules.map((rule, index) => ({ ...rule, id: index + 1 }))

/** Groups to which a role is limited by name; none: all. Undefined: its rules are more than a list of groups. */
export function groupsOfRules(rules: readonly RuleDraft[]): string[] | undefined {
  if (rules.some(({ is_regex, is_denied, conditions }) => is_regex || (is_denied && conditions.length > 0)))
    return undefined
  const allowing = rules.filter(({ is_denied }) => !is_denied)
  const limited = allowing.filter(({ conditions }) => conditions.length > 0)
  const [first] = limited
  if (first === undefined) return []
  const names = first.conditions[0]?.names_matching ?? []
  const isList = limited.every(({ conditions: [condition, ...others] }) => {
    if (condition === undefined || others.length > 0) return false
    const { is_denied, is_regex, names_matching, keys_matching, values_matching } = condition
    const isByName = !is_denied && !is_regex && keys_matching.length + values_matching.length === 0
    return isByName && names_matching.join('\n') === names.join('\n')
  })
  const isElsewhere = allowing.some(
    ({ conditions, actions_matching }) =>
      conditions.length === 0 && groupPatterns(actions_matching).length > 0,
  )
  return isList && !isElsewhere && !names.some((name) => /[*?]/.test(name)) ? names : undefined
}

/** The same rules for these groups; none: all. Actions without groups keep a rule without a condition. */
export function limitRules(rules: readonly RuleDraft[], groups: readonly string[]): RuleDraft[] {
  const whole = unlimited(rules)
  if (groups.length === 0) return numbered(whole)
  return numbered(
    whole.flatMap((rule) => {
      if (rule.is_denied) return [rule]
      const ofGroups = groupPatterns(rule.actions_matching)
      return [
        ...(ofGroups.length === 0
          ? []
          : [
              {
                ...rule,
                actions_matching: ofGroups,
                conditions: [{ ...newCondition([]), names_matching: [...groups] }],
              },
            ]),
        ...getChunks(accountPatterns(rule.actions_matching)).map((actions_matching) => ({
          ...newRule([]),
          actions_matching,
        })),
      ]
    }),
  )
}

/** Rules without conditions, and without the rules of single actions that others then cover. */
function unlimited(rules: readonly RuleDraft[]): RuleDraft[] {
  const limited = rules.filter(({ conditions }) => conditions.length > 0)
  const patterns = limited.flatMap(({ actions_matching }) => actions_matching)
  return rules.flatMap((rule) => {
    if (rule.is_denied || limited.includes(rule)) return [{ ...rule, conditions: [] }]
    const own = rule.actions_matching.filter(
      (pattern) => !patterns.some((other) => matchesWildcards(other, pattern)),
    )
    return own.length === 0 && rule.actions_matching.length > 0 ? [] : [{ ...rule, actions_matching: own }]
  })
}
