import { isProposed } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { noticeDone } from '../api/notices.ts'

/** Notice that an action is done, or awaits a second person. */
export function noticeDoneOrProposed(answer: unknown, done: string): void {
  noticeDone(
    isProposed(answer)
      ? i18n._(msg`Proposed. Takes effect if a second person approves it within seven days.`)
      : done,
  )
}
