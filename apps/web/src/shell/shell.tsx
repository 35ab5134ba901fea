import { useLingui } from '@lingui/react/macro'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from 'react'
import { interruption } from '../api/interruption.ts'
import { noticeSessionEnds } from '../api/notices.ts'
import { connectReasonQuestion, type ReasonQuestion as Question } from '../api/reasons.ts'
import { useProfile } from '../api/use-profile.ts'
import { SkipLink } from '../components/frame/frame-parts.tsx'
import { Letterhead } from '../components/print/letterhead.tsx'
import { InShell } from '../components/status-page.tsx'
import { shownLocale, withTexts } from '../i18n/i18n.ts'
import { forgetKeys, keepKeys } from '../ui/keep-keys.ts'
import { useSingleKeys } from '../ui/use-keys.ts'
import { commandField } from './command-field.ts'
import type { Area } from './navigation.ts'
import { noticeDelay } from './notice-delay.ts'
import { OfflineBar } from './offline-bar.tsx'
import { hideNoticesOfPage } from './show-notice.tsx'
import { SideNavigation } from './side-navigation.tsx'
import { TopBar } from './top-bar.tsx'
import classes from './shell.module.css'

const NOTICE_KEY = 'custodia.session_end_notice'

/** Shows a notice five minutes before the session's final end, once per session. */
function useSessionNotice(): void {
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

const ReasonQuestionDialog = lazy(async () => ({
  default: (await import('../components/reason-dialog.tsx')).ReasonQuestionDialog,
}))

/** Host of the reason dialog; loads with the first question. */
function ReasonQuestion() {
  const [question, setQuestion] = useState<Question>()
  useEffect(() => connectReasonQuestion(setQuestion), [])
  if (question === undefined) return null
  return (
    <Suspense>
      <ReasonQuestionDialog
        choices={question.choices}
        answer={(reason) => {
          setQuestion(undefined)
          question.answer(reason)
        }}
      />
    </Suspense>
  )
}

const SignInAgain = lazy(() => withTexts('lazy', import('./sign-in-again.tsx')))

/** The dialog of an interrupted session; its code loads with the first. */
export function Interruption() {
  const isOn = useSyncExternalStore(interruption.subscribe, interruption.isOn)
  return <Suspense>{isOn && <SignInAgain />}</Suspense>
}

const CommandMenu = lazy(() => withTexts('lazy', import('./find/command-menu.tsx')))
const MissingPermission = lazy(() => import('../screens/errors/missing-permission.tsx'))
const MyAccess = lazy(() => withTexts('lazy', import('../screens/account/my-access.tsx')))
const ShortcutsSheet = lazy(() => withTexts('lazy', import('./shortcuts-sheet.tsx')))
const SupportBar = lazy(() => withTexts('lazy', import('./support-bar.tsx')))

/** Ctrl+K, also in fields: the library's hook reads every combination of keys, which each page would load. */
function useCommandKey(open: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return
    event.preventDefault()
    open()
  })
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Shell of an area: top bar, side navigation and content, by default the route's; in support mode also its bar. */
export function Shell({ area, children }: { area: Area; children?: ReactNode }) {
  const { t } = useLingui()
  const { support } = useProfile()
  const [navigationOpen, navigation] = useDisclosure()
  const [sheetOpen, sheet] = useDisclosure()
  const [accessOpen, access] = useDisclosure()
  // Counts openings of the command menu: it loads with the first and opens with each.
  const [menuRequests, setMenuRequests] = useState(0)
  const openMenu = () => {
    const opening = menuRequests + 1
    setMenuRequests(opening)
    // Keeps keys that the user types before the menu loads, and drops those kept for an earlier target.
    forgetKeys()
    keepKeys(() => document.getElementById(commandField(opening)))
  }
  useCommandKey(openMenu)
  useSingleKeys({ '?': sheet.open })
  useSessionNotice()

  const { pathname } = useLocation()
  const closeNavigation = navigation.close
  useEffect(closeNavigation, [pathname, closeNavigation])
  useEffect(() => hideNoticesOfPage, [pathname])

  return (
    <div className={classes.shell} data-support={support === null ? undefined : true}>
      <SkipLink />
      {support !== null && (
        <div className={classes.support}>
          <Suspense>
            <SupportBar support={support} />
          </Suspense>
        </div>
      )}
      <header className={classes.header}>
        <TopBar
          area={area}
          navigationOpen={navigationOpen}
          onToggleNavigation={navigation.toggle}
          onSearch={openMenu}
          onShortcuts={sheet.open}
          onMyAccess={access.open}
        />
      </header>
      <nav
        id="main-navigation"
        className={classes.navigation}
        data-open={navigationOpen || undefined}
        aria-label={t`Main navigation`}
      >
        <SideNavigation area={area} />
      </nav>
      <OfflineBar />
      <main id="main" tabIndex={-1} className={classes.main}>
        <Letterhead />
        <InShell value>{children ?? <Page area={area} />}</InShell>
      </main>
      <ReasonQuestion />
      <Interruption />
      <Suspense>
        {menuRequests > 0 && <CommandMenu area={area} requests={menuRequests} onShortcuts={sheet.open} />}
        {accessOpen && <MyAccess onClose={access.close} />}
        {sheetOpen && <ShortcutsSheet onClose={sheet.close} />}
      </Suspense>
    </div>
  )
}

/** The page, or the right that it lacks. */
function Page({ area }: { area: Area }) {
  const reader = useProfile()
  const missing = useMatches({
    select: (matches) => {
      const last = matches.at(-1)
      const { tab } = (last?.search ?? {}) as { tab?: string }
      return area.missingAt(last?.fullPath ?? '', tab, reader)
    },
  })
  if (missing !== undefined)
    return (
      <Suspense>
        <MissingPermission missing={missing} />
      </Suspense>
    )
  return <Outlet />
}
