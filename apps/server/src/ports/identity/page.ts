import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Locale } from '@custodia/contract'
import { STYLE } from './page-style.ts'
import { type PageText, TEXTS } from './page-texts.ts'

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
<p class="aside"><a href="${escape(page.portal)}">${say('back')}</a></p>`,
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
