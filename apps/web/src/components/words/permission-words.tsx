import { nounWords, PERMISSION_WORDS, type Permission, permissionWords } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Text } from '@mantine/core'
import { Fragment } from 'react'
import { shownLocale } from '../../i18n/i18n.ts'
import { Fact, Facts } from '../facts.tsx'
import { actionsByNoun, matchesWildcards } from './action-patterns.ts'

/** Label of an action in the current language; its code without one. */
export const actionWords = (action: string): string => permissionWords(action)?.[shownLocale()] ?? action

/** Labels of nouns. */
export const nounWord = (noun: string): string => nounWords(noun)?.[shownLocale()] ?? noun

/** Label of an action, followed by its code. */
export const ActionName = ({ action }: { action: string }) => (
  <span title={action}>{actionWords(action)}</span>
)

/** Description of a permission. */
export function WhatItAllows({ action }: { action: string }) {
  const words = actionWords(action)
  return <Trans>It allows you to {words}.</Trans>
}

/** Permitted actions, one line per noun. */
export const ActionFacts = ({ title, actions }: { title: string; actions: readonly string[] }) => (
  <Facts title={title}>
    {actionsByNoun(actions).map(({ noun, verbs }) => (
      <Fact key={noun} label={<span title={noun}>{nounWord(noun)}</span>}>
        {verbs.map((verb, index) => (
          <Fragment key={verb}>
            {index > 0 && ', '}
            <ActionName action={`${noun}:${verb}`} />
          </Fragment>
        ))}
      </Fact>
    ))}
  </Facts>
)

/** Labels of a role's rules; patterns without a current match, and regular expressions, are shown as they are. */
export function PatternsInWords({ rules }: { rules: readonly Permission[] }) {
  const { t, i18n } = useLingui()
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  return rules.map((rule, index) => {
    const { actions_matching, is_regex = false, conditions = [] } = rule
    const actions = is_regex
      ? []
      : Object.keys(PERMISSION_WORDS).filter(
          // The provider's own nouns have no meaning in a client's role.
          (action) =>
            !action.startsWith('internal.') &&
            actions_matching.some((pattern) => matchesWildcards(pattern, action)),
        )
    const bare = is_regex
      ? actions_matching
      : actions_matching.filter((pattern) => !actions.some((action) => matchesWildcards(pattern, action)))
    return (
      // oxlint-disable-next-line react/no-array-index-key -- rules have no other key than their index
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
