import type { Locale } from '@custodia/contract'
import { i18n, type Messages } from '@lingui/core'
import { type Area, getAreas } from './areas.ts'
import { chooseLocale, FALLBACK_LOCALE, localeCookie, splitLocale } from './locale.ts'

type Catalogue = () => Promise<{ messages: Messages }>

const CATALOGUES: Record<Area, Record<Locale, Catalogue>> = {
  public: {
    'en-GB': () => import('./locales/public/en-GB.po'),
    'pt-BR': () => import('./locales/public/pt-BR.po'),
  },
  portal: {
    'en-GB': () => import('./locales/en-GB.po'),
    'pt-BR': () => import('./locales/pt-BR.po'),
  },
  administration: {
    'en-GB': () => import('./locales/administration/en-GB.po'),
    'pt-BR': () => import('./locales/administration/pt-BR.po'),
  },
  account: {
    'en-GB': () => import('./locales/account/en-GB.po'),
    'pt-BR': () => import('./locales/account/pt-BR.po'),
  },
  lazy: {
    'en-GB': () => import('./locales/lazy/en-GB.po'),
    'pt-BR': () => import('./locales/lazy/pt-BR.po'),
  },
}
// Texts without a translation are shown as they are; the built English catalogues have only texts with placeholders.
if (import.meta.env.PROD) i18n.setMessagesCompiler((text) => [text])

/** Areas whose catalogue is loading. */
const opened = new Map<Area, Promise<void>>()

async function getTexts(locale: Locale): Promise<Messages> {
  const loaded = await Promise.all([...opened.keys()].map((area) => CATALOGUES[area][locale]()))
  return Object.assign({}, ...loaded.map(({ messages }) => messages))
}

/** Prefix of links: the address's own, until the user switches the language. */
let prefix: Locale | undefined

/** Language prefix of all addresses; undefined when the address had none. */
export const localePrefix = (): Locale | undefined => prefix

/** Activates `locale`, or the source texts when its catalogue fails; `<html lang>` shows the active one. */
async function show(locale: Locale): Promise<void> {
  let shown = locale
  try {
    // Adds to what is loaded: the answers of two areas may arrive in any order.
    i18n.load(locale, await getTexts(locale))
  } catch (cause) {
    console.error('Failed locale loading', locale, cause)
    shown = FALLBACK_LOCALE
    const source = locale === FALLBACK_LOCALE ? undefined : await getTexts(shown).catch(() => undefined)
    i18n.load(shown, source ?? {})
  }
  i18n.activate(shown)
  document.documentElement.lang = shown
}

/** Chooses and loads the language of this visit; called once before the first render. */
export async function startLocale(): Promise<void> {
  prefix = splitLocale(location.pathname).locale
  const { pathname } = location
  const locale = chooseLocale({ pathname, cookies: document.cookie, languages: navigator.languages })
  await open(['public'], () => locale)
}

/** Loads the catalogues of a page, each once; guards await it. */
export const loadTextsOf = (path: string): Promise<void> => open(getAreas(path), shownLocale)

/** A lazy module that also awaits an area's catalogue. */
export async function withTexts<Module>(area: Area, module: Promise<Module>): Promise<Module> {
  await open([area], shownLocale)
  return module
}

async function open(areas: readonly Area[], locale: () => Locale): Promise<void> {
  const others = areas.filter((area) => !opened.has(area))
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const area of others) opened.set(area, promise)
  if (others.length > 0) resolve(show(locale()))
  await Promise.all(areas.map((area) => opened.get(area)))
}

/** Switches the language and stores it. Addresses with a prefix get the new one. */
export async function switchLocale(locale: Locale): Promise<void> {
  document.cookie = localeCookie(locale, location.protocol === 'https:')
  if (prefix !== undefined) prefix = locale
  await show(locale)
}

/** Active language. */
export const shownLocale = (): Locale => (i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')
