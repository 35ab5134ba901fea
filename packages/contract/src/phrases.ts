/** Languages of the product (spec section 9). */
export const LOCALES = ['en-GB', 'pt-BR'] as const
export type Locale = (typeof LOCALES)[number]
export type Phrase = Readonly<Record<Locale, string>>

/** A text in both languages. */
export const phrase = (en: string, pt: string): Phrase => ({ 'en-GB': en, 'pt-BR': pt })

/** Fills `{name}` placeholders of a phrase. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
