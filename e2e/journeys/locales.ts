import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { AREAS, getFolder } from '../../apps/web/src/i18n/areas.ts'

export type Locale = 'en-GB' | 'pt-BR'

export const LOCALES: readonly Locale[] = ['en-GB', 'pt-BR']

/**
 * Languages of a file's journeys: one of the two, alternating by file and day. JOURNEY_LOCALES (`en-GB` or `pt-BR`)
 * has priority.
 * @param file `import.meta.url` of the journeys
 */
export function getLocales(file: string): readonly Locale[] {
  const wanted = process.env['JOURNEY_LOCALES']
  if (wanted) return [toLocale(wanted)]
  const hash = createHash('sha256').update(basename(file)).digest().readUInt8()
  return [LOCALES[(hash + Number(process.env['JOURNEY_DAY'] ?? 0)) % 2] ?? 'en-GB']
}

function toLocale(text: string): Locale {
  const locale = LOCALES.find((each) => each === text)
  if (!locale) throw new Error(`JOURNEY_LOCALES: must be en-GB or pt-BR, not ${text}`)
  return locale
}

const LOCALES_FOLDER = new URL('../../apps/web/src/i18n/locales/', import.meta.url)

/** Phrases of the portal with their translations; several where the context decides. */
const translations = new Map<string, Set<string>>()
for (const area of AREAS) {
  const text = readFileSync(new URL(`${getFolder(area)}pt-BR.po`, LOCALES_FOLDER), 'utf8').replaceAll(
    '"\n"',
    '',
  )
  for (const [, phrase = '', translation = ''] of text.matchAll(/^msgid "(.+)"\nmsgstr "(.+)"$/gm))
    translations.set(phrase, (translations.get(phrase) ?? new Set()).add(translation))
}

/** Phrases that no Portuguese page shows. */
export const englishOnly = (): string[] => {
  const portuguese = new Set([...translations.values()].flatMap((each) => [...each]))
  return [...translations.keys()].filter((phrase) => !portuguese.has(phrase))
}

/** Translates a phrase of the portal. */
type Translate = (phrase: string) => string

/** Phrases of the portal in a language, from its catalogues: `says('Save policy')`. */
export const phrases =
  (locale: Locale): Translate =>
  (phrase) =>
    locale === 'pt-BR' ? getTranslation(phrase) : phrase

/**
 * As `phrases`, with labels that no catalogue translates: patterns, phrases with values, and those whose context
 * decides. The others among `english` are translated.
 */
export function inBoth<Labels extends object>(
  english: Labels,
  portuguese: Partial<Labels> = {},
): Record<Locale, Labels & Translate> {
  const translated = Object.entries(english).map(([key, label]: [string, unknown]) => [
    key,
    key in portuguese || typeof label !== 'string' ? label : getTranslation(label),
  ])
  return {
    'en-GB': labelled(phrases('en-GB'), english),
    'pt-BR': labelled(phrases('pt-BR'), { ...(Object.fromEntries(translated) as Labels), ...portuguese }),
  }
}

/** Unlike an assignment, this also sets a label `name`, which functions have. */
const labelled = <Labels extends object>(says: Translate, labels: Labels): Labels & Translate =>
  Object.defineProperties(says, Object.getOwnPropertyDescriptors(labels)) as Labels & Translate

function getTranslation(phrase: string): string {
  const [translation, ...others] = translations.get(phrase) ?? []
  if (translation === undefined || others.length > 0) throw new Error(`no one translation of ${phrase}`)
  return translation
}
