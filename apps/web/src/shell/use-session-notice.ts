import { useEffect } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { shownLocale } from '../i18n/i18n.ts'
import { noticeSessionEnds } from '../api/notices.ts'
import { noticeDelay } from './notice-delay.ts'

const NOTICE_KEY = 'custodia.session_end_notice'

/** Shows a notice five minutes before the session's final end, once per session. */
export function useSessionNotice(): void {
  const { session_expires_at } = useProfile()
  useEffect(() => {
    const delay = noticeDelay(session_expires_at, Date.now())
    if (delay === undefined || sessionStorage.getItem(NOTICE_KEY) === String(session_expires_at)) return
    const timer = setTimeout(() => {
      sessionStorage.setItem(NOTICE_KEY, String(session_expires_at))
      const time = new Intl.DateTimeFormat(shownLocale(), { timeStyle: 'short' })
      noticeSessionEnds(time.format(session_expires_at * 1000))
    }, delay)
    return () => clearTimeout(timer)
  }, [session_expires_at])
}
