import { type Locale, LOCALES } from '@custodia/contract'

/** Source language and fallback. */
export const FALLBACK_LOCALE: Locale = 'en-GB'

/** Cookie of the choice: 365 days, path /, SameSite=Lax (spec section 9). */
export const LOCALE_COOKIE = 'locale'
const COOKIE_LIFETIME_S = 365 * 86_400

const PREFIX = /^\/(en-GB|pt-BR)(?=\/|$)/

const isLocale = (value: string | undefined): value is Locale => LOCALES.some((locale) => locale === value)

/** Splits `/pt-BR/dashboard` into `{ locale: 'pt-BR', path: '/dashboard' }`; without a prefix `locale` is undefined. */
export function splitLocale(pathname: string): { locale: Locale | undefined; path: string } {
  const found = PREFIX.exec(pathname)?.[1]
  if (!isLocale(found)) return { locale: undefined, path: pathname }
  return { locale: found, path: pathname.slice(found.length + 1) || '/' }
}

/** Finds the closest supported language for a browser tag: `pt`, `pt-PT` → `pt-BR`; `en-US` → `en-GB`. */
function closest(tag: string): Locale | undefined {
  const language = tag.toLowerCase().split('-')[0]
  return (
    LOCALES.find((locale) => locale.toLowerCase() === tag.toLowerCase()) ??
    LOCALES.find((locale) => locale.split('-')[0] === language)
  )
}

const cookieValue = (cookies: string): string | undefined =>
  cookies
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === LOCALE_COOKIE)?.[1]

/** Priority: address prefix, cookie, browser languages, en-GB. */
export function chooseLocale(from: {
  pathname: string
  cookies: string
  languages: readonly string[]
}): Locale {
  const cached = cookieValue(from.cookies)
  return (
    splitLocale(from.pathname).locale ??
    (isLocale(cached) ? cached : undefined) ??
    from.languages.map(closest).find((locale) => locale !== undefined) ??
    FALLBACK_LOCALE
  )
}

/** `document.cookie` text that stores `locale`. */
export const localeCookie = (locale: Locale, secure: boolean): string =>
  `${LOCALE_COOKIE}=${locale}; Max-Age=${COOKIE_LIFETIME_S}; Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
