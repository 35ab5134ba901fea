import { Button } from '@mantine/core'
import { useLingui } from '@lingui/react'
import { useRouter } from '@tanstack/react-router'
import { switchLocale } from '../../i18n/i18n.ts'
import { type Locale, LOCALES } from '@custodia/contract'
import { Icon } from '../../ui/icon.tsx'

/** Language names in their own language. */
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
