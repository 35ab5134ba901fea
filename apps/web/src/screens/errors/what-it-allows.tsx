import { Trans } from '@lingui/react/macro'
import { actionWords } from '../../components/words/action-name.tsx'

/** Description of a permission. */
export default function WhatItAllows({ action }: { action: string }) {
  const words = actionWords(action)
  return <Trans>It allows you to {words}.</Trans>
}
