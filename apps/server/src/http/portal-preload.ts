import type { Locale } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import { pageLocale } from '../ports/identity/page-texts.ts'

/** The build's facts about a page (apps/web/build/preload.ts). */
export interface PagePreload {
  path: string
  scripts: readonly string[]
  texts: Readonly<Record<string, readonly string[]>>
}

/**
 * Makes the preload tags for the page at an address, so that the browser requests all files at once. A wrong
 * guess of the language costs one unused file.
 */
export function preloader(pages: readonly PagePreload[]): (request: FastifyRequest) => string {
  // A literal path comes before a pattern: `roles/create` is no role.
  const patterns = pages
    .toSorted((a, b) => parametersOf(a) - parametersOf(b))
    .map((page) => ({ page, pattern: patternOf(page.path) }))
  return (request) => {
    const [, prefix, path = ''] =
      /^(?:\/(en-GB|pt-BR)(?=\/|\?|$))?([^?]*?)\/?(?:\?|$)/.exec(request.url) ?? []
    const found = patterns.find(({ pattern }) => pattern.test(path || '/'))
    if (!found) return ''
    const { scripts, texts } = found.page
    return [...(texts[localeOf(request, prefix)] ?? []), ...scripts]
      .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`)
      .join('')
  }
}

const parametersOf = ({ path }: PagePreload): number => path.split('$').length

/** Route paths consist of letters, hyphens and parameters. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`)

/** The portal's own order: the address, the earlier choice of the reader, the browser's languages. */
function localeOf({ headers }: FastifyRequest, prefix: string | undefined): Locale {
  const [, chosen] = /(?:^|;\s*)locale=([\w-]+)/.exec(headers.cookie ?? '') ?? []
  return pageLocale(prefix ?? chosen, headers['accept-language'])
}
