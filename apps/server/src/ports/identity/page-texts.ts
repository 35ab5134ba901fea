import type { Locale, Phrase } from '@custodia/contract'
import { LOCALES } from '@custodia/contract'

/** Texts of the embedded provider's pages. */
export const TEXTS = {
  title: { 'en-GB': 'Sign in', 'pt-BR': 'Entrar' },
  account: { 'en-GB': 'Account', 'pt-BR': 'Conta' },
  user: { 'en-GB': 'User', 'pt-BR': 'Usuário' },
  password: { 'en-GB': 'Password', 'pt-BR': 'Senha' },
  submit: { 'en-GB': 'Sign in', 'pt-BR': 'Entrar' },
  back: { 'en-GB': 'Choose another account', 'pt-BR': 'Escolher outra conta' },
  wrong: {
    'en-GB': 'User or password is wrong for this account.',
    'pt-BR': 'Usuário ou senha incorretos para esta conta.',
  },
  too_many: {
    'en-GB': 'Too many attempts. Wait five minutes, then try again.',
    'pt-BR': 'Tentativas demais. Aguarde cinco minutos e tente novamente.',
  },
  expired_title: { 'en-GB': 'This sign-in has expired', 'pt-BR': 'Este acesso expirou' },
  expired: {
    'en-GB': 'Go back to the portal and start the sign-in again.',
    'pt-BR': 'Volte ao portal e inicie o acesso novamente.',
  },
  to_portal: { 'en-GB': 'Back to the portal', 'pt-BR': 'Voltar ao portal' },
} as const satisfies Record<string, Phrase>
export type PageText = keyof typeof TEXTS

/**
 * The language of a page: the first supported one, else British English. `ui_locales` is a list separated by
 * spaces (OpenID Connect Core 3.1.2.1), `accept_language` the header of RFC 9110, read in its order.
 */
export function pageLocale(ui_locales: unknown, accept_language: string | undefined): Locale {
  const pending = [
    ...(typeof ui_locales === 'string' ? ui_locales.split(' ') : []),
    ...(accept_language ?? '').split(',').map((each) => each.split(';')[0]?.trim() ?? ''),
  ]
  for (const tag of pending) {
    const [language] = tag.toLowerCase().split('-')
    const found = LOCALES.find((locale) => locale.toLowerCase().split('-')[0] === language)
    if (found) return found
  }
  return 'en-GB'
}
