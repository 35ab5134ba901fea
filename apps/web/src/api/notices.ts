import type { ApprovalState } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { failureText } from './failure-text.ts'

/** A notice at the bottom of the screen (spec section 8). */
export interface Notice {
  kind: 'failed' | 'done' | 'warned' | 'support ended' | 'support refused' | 'session ends' | 'sign in again'
  /** Notices with the same id appear once. */
  id?: string
  title?: string
  message: string
  /** A button after the message; the notice leaves when it is pressed. */
  action?: { label: string; run: () => void }
  /** The act of the last notice with a button is undone, so that notice leaves. */
  undoes?: boolean
}

let show: (notice: Notice) => void = () => {}

/** Shows a notice from code outside components. The shell registers the renderer. */
export function connectNotices(draw: (notice: Notice) => void): void {
  show = draw
}

/** Shows a failed call until the user closes it. Equal texts appear once. */
export function noticeFailure(error: unknown): void {
  const message = failureText(error, i18n)
  show({ kind: 'failed', id: `failure ${message}`, title: i18n._(msg`An error occurred`), message })
}

/** Shows a failure that is no failed call. */
export const noticeProblem = (title: string, message: string): void =>
  show({ kind: 'failed', id: title, title, message })

/** Shows a success. */
export function noticeDone(message: string): void {
  show({ kind: 'done', message })
}

/** Shows that the act of the last undoable notice is undone. */
export function noticeUndone(message: string): void {
  show({ kind: 'done', message, undoes: true })
}

/** Shows a success that can be undone; with `isWarning` as an exception. */
export function noticeUndoable(
  message: string,
  action: NonNullable<Notice['action']>,
  isWarning = false,
): void {
  show({ kind: isWarning ? 'warned' : 'done', message, action })
}

/** Says that support mode ended; `why` is the server's reason, absent when staff ended it. */
export function noticeEndingSupportMode(why?: ApprovalState | 'unknown', client = ''): void {
  const id = 'ending support mode'
  const title = i18n._(msg`Ending support mode`)
  if (why === undefined) return show({ kind: 'support ended', id, message: title })
  const reasons: Partial<Record<ApprovalState | 'unknown', string>> = {
    revoked: i18n._(msg`${client} revoked the access.`),
    expired: i18n._(msg`The time approved by ${client} has expired.`),
  }
  const message = reasons[why] ?? i18n._(msg`Support access has ended or was revoked.`)
  show({ kind: 'support refused', id, title, message })
}

/** Shown once, minutes before the session's final end; `time` in the reader's format. */
export function noticeSessionEnds(time: string): void {
  const message = i18n._(msg`Your session ends at ${time}. Save your work and sign in again.`)
  show({ kind: 'session ends', id: 'session ends', message })
}

/** Has the id of the next notice: both explain the sign-in page, and one is enough. */
const SIGN_IN_AGAIN = 'authentication expired'

/** Says that the session was lost, for example after a rejected refresh. */
export function noticeSessionEnded(): void {
  const message = i18n._(msg`Your session has ended. Sign in again.`)
  show({ kind: 'sign in again', id: SIGN_IN_AGAIN, message })
}

/** Says that an authenticated call had no id token (spec section 8). */
export function noticeAuthenticationExpired(): void {
  show({ kind: 'sign in again', id: SIGN_IN_AGAIN, message: i18n._(msg`Authentication expired`) })
}
