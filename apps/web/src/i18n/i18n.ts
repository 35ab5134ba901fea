import { i18n, type Messages } from '@lingui/core'
import type { Locale } from '@custodia/contract'
import { chooseLocale, FALLBACK_LOCALE, localeCookie, splitLocale } from './locale.ts'

type Catalogues = Record<Locale, () => Promise<{ messages: Messages }>>

/** Texts of the pages that everybody may see. */
const publicTexts: Catalogues = {
  'en-GB': () => import('./locales/public/en-GB.po'),
  'pt-BR': () => import('./locales/public/pt-BR.po'),
}
/** All others: they load with the first page behind the sign-in. */
const portalTexts: Catalogues = {
  'en-GB': () => import('./locales/en-GB.po'),
  'pt-BR': () => import('./locales/pt-BR.po'),
}
let isInside = false

async function textsOf(locale: Locale): Promise<Messages> {
  const wanted = isInside ? [publicTexts, portalTexts] : [publicTexts]
  const loaded = await Promise.all(wanted.map((catalogues) => catalogues[locale]()))
  return Object.assign({}, ...loaded.map(({ messages }) => messages))
}

/** Prefix that links carry: the address's own, until the reader chooses another language. */
let prefix: Locale | undefined

/** The language prefix of all addresses, or undefined when the address came without one. */
export const localePrefix = (): Locale | undefined => prefix

/** Shows `locale`, or the source texts when its catalogue cannot be loaded; `<html lang>` says what is really shown. */
async function show(locale: Locale): Promise<void> {
  let shown = locale
  try {
    i18n.loadAndActivate({ locale, messages: await textsOf(locale) })
  } catch (cause) {
    console.error('Failed locale loading', locale, cause)
    shown = FALLBACK_LOCALE
    const source = locale === FALLBACK_LOCALE ? undefined : await textsOf(shown).catch(() => undefined)
    i18n.loadAndActivate({ locale: shown, messages: source ?? {} })
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

/** Loads the texts of the pages behind the sign-in, once; guards wait for it. */
export async function loadPortalTexts(): Promise<void> {
  if (isInside) return
  isInside = true
  await show(shownLocale())
}

/** Switches the language and remembers it. Addresses with a prefix keep one, the new one. */
export async function switchLocale(locale: Locale): Promise<void> {
  document.cookie = localeCookie(locale, location.protocol === 'https:')
  if (prefix !== undefined) prefix = locale
  await show(locale)
}

/** The language that is on screen. */
export const shownLocale = (): Locale => (i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')
