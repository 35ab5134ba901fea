import { Trans } from '@lingui/react/macro'
import { actionWords } from '../../components/words/action-words.ts'

/** What somebody with the permission may do, in words. */
export default function WhatItAllows({ action }: { action: string }) {
  const words = actionWords(action)
  return <Trans>It allows you to {words}.</Trans>
}
