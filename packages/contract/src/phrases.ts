/** Languages of the product (spec section 9). */
export const LOCALES = ['en-GB', 'pt-BR'] as const
export type Locale = (typeof LOCALES)[number]
export type Phrase = Readonly<Record<Locale, string>>

/** A text in both languages; its English is a part of its type, for `Placeholder`. */
export const phrase = <const English extends string>(en: English, pt: string) =>
  ({ 'en-GB': en, 'pt-BR': pt }) as const satisfies Phrase

export type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never

/** Fills `{name}` placeholders of a phrase. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
