import { ApiProblem } from '@custodia/client'
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

/** Shows a notice as it is. */
export const showNotice = (notice: Notice): void => show(notice)

/** Shows a problem until the user closes it. Equal texts appear once. */
export const noticeProblem = (title: string, message: string): void =>
  show({ kind: 'failed', id: `failure ${message}`, title, message })

/** Shows a failed call, in the same way. Its title is that of the specification (section 8), also for refusals. */
export function noticeFailure(error: unknown): void {
  const reason = failureText(error, i18n)
  const refused = error instanceof ApiProblem ? error.refused : undefined
  noticeProblem(i18n._(msg`An error occurred`), refused === undefined ? reason : `${refused}\n${reason}`)
}

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
