import { PERMISSION_WORDS, type Permission } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Text } from '@mantine/core'
import { actionWords } from './action-words.ts'
import { matchesWildcards } from './wildcards.ts'

/** What rules of a role are about, in words; patterns in which nothing of today is meant, and regular expressions, stand by themselves. */
export function PatternsInWords({ rules }: { rules: readonly Permission[] }) {
  const { t, i18n } = useLingui()
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  return rules.map((rule, index) => {
    const { actions_matching, is_regex = false, conditions = [] } = rule
    const actions = is_regex
      ? []
      : Object.keys(PERMISSION_WORDS).filter(
          // What is the provider's own means nothing in a client's role.
          (action) =>
            !action.startsWith('internal.') &&
            actions_matching.some((pattern) => matchesWildcards(pattern, action)),
        )
    const bare = is_regex
      ? actions_matching
      : actions_matching.filter((pattern) => !actions.some((action) => matchesWildcards(pattern, action)))
    return (
      // oxlint-disable-next-line react/no-array-index-key -- rules have no name but their place
      <div key={index}>
        <span title={actions_matching.join(', ')}>{list.format(actions.map(actionWords))}</span>
        {bare.length > 0 && (
          <Text span display="block" size="sm" c="dimmed">
            {is_regex ? t`Regular expressions` : t`For future groups`}: <Code>{bare.join(', ')}</Code>
          </Text>
        )}
        {conditions.length > 0 && (
          <Text span display="block" size="sm" c="dimmed">
            <Trans>Only in some groups</Trans>
          </Text>
        )}
      </div>
    )
  })
}
