import { Button } from '@mantine/core'
import { useLingui } from '@lingui/react'
import { useRouter } from '@tanstack/react-router'
import { switchLocale } from '../../i18n/i18n.ts'
import { type Locale, LOCALES } from '@custodia/contract'
import { Icon } from '../../ui/icon.tsx'

/** Each language in its own words, so that its readers find it. */
export const LANGUAGE_NAMES: Record<Locale, string> = { 'en-GB': 'English', 'pt-BR': 'Português (Brasil)' }

/** Switches the language in place and rewrites the address when it carries a prefix. */
export function useSwitchLanguage(): (locale: Locale) => Promise<void> {
  const router = useRouter()
  return async (locale) => {
    await switchLocale(locale)
    await router.navigate({ to: '.', search: true, hash: true, replace: true, resetScroll: false })
  }
}

/** Offers the languages that are not on screen. */
export function LanguageSwitch() {
  const { i18n } = useLingui()
  const switchLanguage = useSwitchLanguage()
  return LOCALES.filter((locale) => locale !== i18n.locale).map((locale, place) => {
    const short = locale.slice(0, 2).toUpperCase()
    return (
      <Button
        // The button stays the same element, and keeps the focus, when its language changes.
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
