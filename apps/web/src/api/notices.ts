import type { ApprovalState } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { failureText } from './failure-text.ts'

/** Something that is told at the bottom of the screen (spec section 8). */
export interface Notice {
  kind: 'failed' | 'done' | 'support ended' | 'support refused' | 'session ends' | 'sign in again'
  /** Notices of one id appear once. */
  id?: string
  title?: string
  message: string
}

let show: (notice: Notice) => void = () => {}

/** Gives code without a component a way to tell something. How a notice looks, the shell knows. */
export function connectNotices(draw: (notice: Notice) => void): void {
  show = draw
}

/** Shows a failed call until it is closed. Equal texts appear once. */
export function noticeFailure(error: unknown): void {
  const message = failureText(error, i18n)
  show({ kind: 'failed', id: `failure ${message}`, title: i18n._(msg`An error occurred`), message })
}

/** Shows that something was done. */
export function noticeDone(message: string): void {
  show({ kind: 'done', message })
}

/** Support mode is over; `why` is what the server says of the approval, absent when staff ended it themselves. */
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

/** Shown once, some minutes before the session ends however often it is refreshed; `time` as the reader writes it. */
export function noticeSessionEnds(time: string): void {
  const message = i18n._(msg`Your session ends at ${time}. Save your work and sign in again.`)
  show({ kind: 'session ends', id: 'session ends', message })
}

/** A notice of the next function with the same id is not shown as well: both say why the sign-in page is there. */
const SIGN_IN_AGAIN = 'authentication expired'

/** The session was lost, as after a refused refresh. */
export function noticeSessionEnded(): void {
  const message = i18n._(msg`Your session has ended. Sign in again.`)
  show({ kind: 'sign in again', id: SIGN_IN_AGAIN, message })
}

/** An authenticated call found no id token (spec section 8). */
export function noticeAuthenticationExpired(): void {
  show({ kind: 'sign in again', id: SIGN_IN_AGAIN, message: i18n._(msg`Authentication expired`) })
}
