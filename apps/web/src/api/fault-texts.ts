import { faultPhrase, FAULTS, type Fault, type Locale } from '@custodia/contract'

/** Text of a fault by its code; undefined for a code that is not one of a fault. */
export const textOfFault = (
  code: string,
  values: NonNullable<Fault['values']>,
  locale: Locale,
): string | undefined =>
  Object.hasOwn(FAULTS, code) ? faultPhrase(code as Fault['code'], values, locale) : undefined
