import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Locale, LOCALES, type Phrase } from '@custodia/contract'

/** Texts of the embedded provider's pages. */
const TEXTS = {
  title: { 'en-GB': 'Sign in', 'pt-BR': 'Entrar' },
  account: { 'en-GB': 'Account', 'pt-BR': 'Conta' },
  user: { 'en-GB': 'User', 'pt-BR': 'Usuário' },
  password: { 'en-GB': 'Password', 'pt-BR': 'Senha' },
  submit: { 'en-GB': 'Sign in', 'pt-BR': 'Entrar' },
  back: { 'en-GB': 'Choose another account', 'pt-BR': 'Escolher outra conta' },
  evaluation: {
    'en-GB': 'For demonstration and evaluation only. In production you sign in at your identity provider.',
    'pt-BR': 'Apenas para demonstração e avaliação. Em produção, o acesso é pelo seu provedor de identidade.',
  },
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
type PageText = keyof typeof TEXTS

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

/** Style sheet of the embedded provider's pages: the portal's blue, in light and dark. */
const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f6f8fb, #0f1319);
  --sheet: light-dark(#ffffff, #161b22);
  --line: light-dark(#868e96, #6b7684);
  --text: light-dark(#1a1f26, #e6eaf0);
  --quiet: light-dark(#495057, #aeb6c2);
  --blue: light-dark(#1971c2, #74c0fc);
  --button: light-dark(#1864ab, #1971c2);
  --red: light-dark(#c92a2a, #ffa8a8);
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--canvas); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 2rem; background: var(--sheet); border-radius: .75rem;
  border: 1px solid light-dark(#dee2e6, #2b333f); box-shadow: 0 8px 32px rgb(0 30 80 / .08);
}
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.5rem; font-weight: 700; font-size: 1.1rem; }
.brand rect { fill: var(--button); }
.brand path { stroke: #fff; stroke-width: 2.6; stroke-linecap: round; fill: none; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
dl { display: flex; gap: .5rem; margin: 0 0 1.25rem; color: var(--quiet); }
dd { margin: 0; font-weight: 600; color: var(--text); overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; font-size: .9rem; }
input {
  width: 100%; padding: .6rem .75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .4rem;
}
input[aria-invalid] { border-color: var(--red); }
button {
  width: 100%; margin-top: 1.5rem; padding: .7rem; font: inherit; font-weight: 600; color: #fff; cursor: pointer;
  background: var(--button); border: 0; border-radius: .4rem;
}
button:hover { filter: brightness(1.12); }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
a { color: var(--blue); }
.problem { margin: 0; padding: .6rem .75rem; color: var(--red); border: 1px solid currentColor; border-radius: .4rem; }
.aside { margin: 1.25rem 0 0; font-size: .9rem; }
.quiet { color: var(--quiet); }
`

export interface SignInPage {
  locale: Locale
  client: string
  /** The known or typed user reference. */
  user_reference?: string
  problem?: 'wrong' | 'too_many'
  /** Address to which the form is sent. */
  action: string
  /** Address at which another account can be chosen. */
  portal: string
}

/** A page that needs no script. `html` comes from `signInPage` or `messagePage`. */
export function sendPage(
  response: ServerResponse,
  status: number,
  page: { locale: Locale; title: string; html: string },
  /** Foreign origins to which the form's response may redirect. */
  formTargets: readonly string[] = [],
): void {
  const { body, headers } = renderPage(page, formTargets)
  response.writeHead(status, headers).end(body)
}

/** Body and headers of a page; the policy permits only its own style sheet. */
export function renderPage(
  page: { locale: Locale; title: string; html: string },
  formTargets: readonly string[] = [],
): { body: string; headers: Record<string, string> } {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ]
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: `<!doctype html>
<html lang="${page.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)} – Custodia</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<p class="brand">${MARK}Custodia</p>
${page.html}
</main>
</body>
</html>`,
  }
}

/** Asks for user and password of one client. */
export function signInPage(page: SignInPage): { locale: Locale; title: string; html: string } {
  const say = (text: PageText) => escape(TEXTS[text][page.locale])
  const isWrong = page.problem !== undefined
  const invalid = isWrong ? ' aria-invalid="true" aria-describedby="problem"' : ''
  // The next empty field has the focus.
  const isNamed = page.user_reference !== undefined
  const focus = { user: isNamed ? '' : ' autofocus', password: isNamed ? ' autofocus' : '' }
  return {
    locale: page.locale,
    title: TEXTS.title[page.locale],
    html: `<h1>${say('title')}</h1>
<dl><dt>${say('account')}</dt><dd>${escape(page.client)}</dd></dl>
${page.problem ? `<p class="problem" id="problem" role="alert">${say(page.problem)}</p>` : ''}
<form method="post" action="${escape(page.action)}">
<label for="user">${say('user')}</label>
<input id="user" name="user" value="${escape(page.user_reference ?? '')}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="255"${invalid}${focus.user}>
<label for="password">${say('password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${invalid}${focus.password}>
<button type="submit">${say('submit')}</button>
</form>
<p class="aside"><a href="${escape(page.portal)}">${say('back')}</a></p>
<p class="aside quiet">${say('evaluation')}</p>`,
  }
}

/** The page that explains the error and links to the portal. */
export function expiredPage(locale: Locale, portal: string): { locale: Locale; title: string; html: string } {
  const say = (text: PageText) => escape(TEXTS[text][locale])
  return {
    locale,
    title: TEXTS.expired_title[locale],
    html: `<h1>${say('expired_title')}</h1>
<p>${say('expired')}</p>
<p class="aside"><a href="${escape(portal)}">${say('to_portal')}</a></p>`,
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

/** The product's logo: a sound wave in an archive. */
const MARK = `<svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8 14v4M12 11v10M16 7v18M20 11v10M24 14v4"/></svg>`
