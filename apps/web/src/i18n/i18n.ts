import { i18n, type Messages } from '@lingui/core'
import { chooseLocale, FALLBACK_LOCALE, localeCookie, splitLocale, type Locale } from './locale.ts'

const catalogues: Record<Locale, () => Promise<{ messages: Messages }>> = {
  'en-GB': () => import('./locales/en-GB.po'),
  'pt-BR': () => import('./locales/pt-BR.po'),
}

/** Prefix that links carry: the address's own, until the reader chooses another language. */
let prefix: Locale | undefined

/** The language prefix of all addresses, or undefined when the address came without one. */
export const localePrefix = (): Locale | undefined => prefix

/** Shows `locale`, or the source texts when its catalogue cannot be loaded; `<html lang>` says what is really shown. */
async function show(locale: Locale): Promise<void> {
  let shown = locale
  try {
    i18n.loadAndActivate({ locale, messages: (await catalogues[locale]()).messages })
  } catch (cause) {
    console.error('Failed locale loading', locale, cause)
    shown = FALLBACK_LOCALE
    const source = locale === FALLBACK_LOCALE ? undefined : await catalogues[shown]().catch(() => undefined)
    i18n.loadAndActivate({ locale: shown, messages: source?.messages ?? {} })
  }
  document.documentElement.lang = shown
}

/** Chooses and loads the language of this visit; called once before the first render. */
export async function startLocale(): Promise<void> {
  prefix = splitLocale(location.pathname).locale
  await show(
    chooseLocale({ pathname: location.pathname, cookies: document.cookie, languages: navigator.languages }),
  )
}

/** Switches the language and remembers it. Addresses with a prefix keep one, the new one. */
export async function switchLocale(locale: Locale): Promise<void> {
  document.cookie = localeCookie(locale, location.protocol === 'https:')
  if (prefix !== undefined) prefix = locale
  await show(locale)
}

/** The language that is on screen. */
export const shownLocale = (): Locale => (i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')
