import { type Locale, LOCALES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { Link, useRouter } from '@tanstack/react-router'
import { switchLocale } from '../../i18n/i18n.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import classes from './frame.module.css'

/** Logo and product name, linked to the start page. */
export function Brand({
  to,
  isShort = false,
}: {
  to: '/' | '/dashboard' | '/internal'
  /** On narrow screens only the logo; screen readers still read the name. */
  isShort?: boolean
}) {
  return (
    <Link to={to} className={classes.brand} data-short={isShort || undefined}>
      <BrandMark />
      <span>Custodia</span>
    </Link>
  )
}

/** The logo. */
export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-blue-8)" />
      <path
        d="M8 14v4M12 11v10M16 7v18M20 11v10M24 14v4"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  )
}

/** First focus stop: skips the navigation. */
export const SkipLink = () => (
  <a href="#main" className={classes.skip} data-not-printed>
    <Trans>Skip to content</Trans>
  </a>
)

interface ColourMode {
  mode: MantineColorScheme
  label: MessageDescriptor
  icon: IconName
}

const LIKE_SYSTEM: ColourMode = { mode: 'auto', label: msg`System`, icon: 'system' }

/** Colour modes in switching order. */
export const COLOUR_MODES: readonly ColourMode[] = [
  LIKE_SYSTEM,
  { mode: 'light', label: msg`Light`, icon: 'sun' },
  { mode: 'dark', label: msg`Dark`, icon: 'moon' },
]

/** Shows the colour mode and switches to the next. */
export function ColourModeSwitch() {
  const { t, i18n } = useLingui()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const index = COLOUR_MODES.findIndex(({ mode }) => mode === colorScheme)
  const current = COLOUR_MODES[index] ?? LIKE_SYSTEM
  const next = COLOUR_MODES[(index + 1) % COLOUR_MODES.length] ?? LIKE_SYSTEM
  const name = i18n._(current.label)
  const label = t`Colour mode: ${name}`
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(next.mode)}
    >
      <Icon name={current.icon} />
    </ActionIcon>
  )
}

export const LANGUAGE_NAMES: Record<Locale, string> = { 'en-GB': 'English', 'pt-BR': 'Português (Brasil)' }

/** Switches the language and rewrites an address with a language prefix. */
export function useSwitchLanguage(): (locale: Locale) => Promise<void> {
  const router = useRouter()
  return async (locale) => {
    await switchLocale(locale)
    await router.navigate({ to: '.', search: true, hash: true, replace: true, resetScroll: false })
  }
}

/** Offers the other languages. */
export function LanguageSwitch() {
  const { i18n } = useLingui()
  const switchLanguage = useSwitchLanguage()
  return LOCALES.filter((locale) => locale !== i18n.locale).map((locale, place) => {
    const short = locale.slice(0, 2).toUpperCase()
    return (
      <Button
        // Keeps the same button element, and so the focus, when the language changes.
        key={place}
        lang={locale}
        variant="subtle"
        color="gray"
        px={10}
        leftSection={<Icon name="globe" />}
        aria-label={`${short} – ${LANGUAGE_NAMES[locale]}`}
        title={LANGUAGE_NAMES[locale]}
        onClick={() => void switchLanguage(locale)}
      >
        {short}
      </Button>
    )
  })
}
