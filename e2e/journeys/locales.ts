import { createHash } from 'node:crypto'
import { basename } from 'node:path'

export type Locale = 'en-GB' | 'pt-BR'

export const LOCALES: readonly Locale[] = ['en-GB', 'pt-BR']

/**
 * Languages of a file's journeys: one of the two, alternating by file and day. JOURNEY_LOCALES (`en-GB` or `pt-BR`)
 * has priority.
 * @param file `import.meta.url` of the journeys
 */
export function localesOf(file: string): readonly Locale[] {
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
