import { PAYLOAD_TYPES, type PayloadType } from './payload-types.ts'
import { phrase } from './phrases.ts'

const COMMUNICATIONS = PAYLOAD_TYPES.filter((type) => type !== 'Diagnostics')

/** Days of whole years, with the maximum of leap days. */
const years = (count: number): number => count * 365 + Math.ceil(count / 4)

/**
 * Templates of policies with the periods of supervisory rules. The lawyers of an account decide whether a rule
 * applies.
 */
export const RETENTION_TEMPLATES = [
  template('MiFID II, art. 16(7)', 5, phrase('5 years', '5 anos')),
  template(
    'MiFID II, art. 16(7)',
    7,
    phrase('7 years, if the supervisor requires it', '7 anos, se a autoridade exigir'),
  ),
  template('SEC 17a-4(b)(4)', 3, phrase('3 years, communications', '3 anos, comunicações')),
  template('SEC 17a-4(a)', 6, phrase('6 years', '6 anos')),
  template('Resolução CVM 35', 5, phrase('5 years', '5 anos')),
] as const

function template(rule: string, count: number, words: ReturnType<typeof phrase>) {
  return {
    rule,
    years: count,
    days: years(count),
    words,
    payload_types: COMMUNICATIONS as readonly PayloadType[],
  }
}
