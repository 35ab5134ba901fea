import { nounWords, permissionWords } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Fragment } from 'react'
import { shownLocale } from '../../i18n/i18n.ts'
import { Fact, Facts } from '../facts.tsx'
import { actionsByNoun } from './action-patterns.ts'

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
