import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Locale } from '@custodia/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageLocale } from '../ports/identity/page.ts'
import { showsStreets } from './monitoring.ts'

/** Headers of every response. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Additional headers of the portal's pages and files. */
export const PAGE_HEADERS = {
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/**
 * The content security policy of a page: its own files, inline parts with this response's nonce, connections
 * to us, to `monitored` and to the map services `mapped`.
 */
export function pagePolicy(
  nonce: string,
  monitored: readonly string[] = [],
  mapped: readonly string[] = [],
): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    ['connect-src', "'self'", ...monitored, ...mapped].join(' '),
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The policy of the map's worker, which loads tiles: a worker has that of its own file. */
const workerPolicy = (mapped: readonly string[]): string =>
  `default-src 'self'; ${['connect-src', "'self'", ...mapped].join(' ')}`

/** The build's facts about a page (apps/web/build/pages.ts). */
interface PagePreload {
  /** With `?tab=` for a tab. */
  path: string
  scripts: readonly string[]
  texts: Readonly<Record<string, readonly string[]>>
}

/**
 * Makes the preload tags for the page at an address, so that the browser requests all files at once. A wrong
 * guess of the language costs one unused file.
 */
function preloader(pages: readonly PagePreload[]): (request: FastifyRequest) => string {
  // A literal path comes before a pattern, `roles/create` is no role; and a tab before its page.
  const patterns = pages
    .map((page) => ({ page, ...getPattern(page.path) }))
    .toSorted((a, b) => getParameters(a.page) - getParameters(b.page) || Number(!a.tab) - Number(!b.tab))
  return (request) => {
    const [, prefix, path = '', query] =
      /^(?:\/(en-GB|pt-BR)(?=\/|\?|$))?([^?]*?)\/?(?:\?(.*)|$)/.exec(request.url) ?? []
    const shown = new URLSearchParams(query).get('tab')
    const found = patterns.find(
      ({ pattern, tab }) => pattern.test(path || '/') && (tab === undefined || tab === shown),
    )
    if (!found) return ''
    const { scripts, texts } = found.page
    return [...(texts[getLocale(request, prefix)] ?? []), ...scripts]
      .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`)
      .join('')
  }
}

const getParameters = ({ path }: PagePreload): number => path.split('$').length

/** Route paths consist of letters, hyphens and parameters. */
function getPattern(page: string): { pattern: RegExp; tab: string | undefined } {
  const [path = '', tab] = page.split('?tab=')
  return { pattern: new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`), tab }
}

/** The portal's own order: the address, the earlier choice of the reader, the browser's languages. */
function getLocale({ headers }: FastifyRequest, prefix: string | undefined): Locale {
  const [, chosen] = /(?:^|;\s*)locale=([\w-]+)/.exec(headers.cookie ?? '') ?? []
  return pageLocale(prefix ?? chosen, headers['accept-language'])
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
}
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
/** The build's placeholder for the nonce of each response. */
const NONCE = '__CSP_NONCE__'

interface PortalFile {
  body: Buffer
  encoded: Map<string, Buffer>
  content_type: string
  etag: string
  cache_control: string
}

/**
 * Serves the built portal from memory, so that no request path becomes a file path. Other page paths get the
 * application; the portal's own address redirects to `home`.
 */
export async function servePortal(
  app: FastifyInstance,
  folder: string,
  { home, monitored, mapped }: { home: string; monitored: readonly string[]; mapped: readonly string[] },
): Promise<void> {
  const files = existsSync(folder) ? await load(folder) : new Map<string, PortalFile>()
  const index = files.get('/index.html')?.body.toString()
  files.delete('/index.html')
  const preload = preloader(await preloadTable(folder))
  for (const [path, file] of files) {
    app.get(path, (request, reply) => {
      if (path.endsWith('.mjs')) void reply.header('content-security-policy', workerPolicy(mapped))
      return sendFile(file, request, reply)
    })
  }
  const answerPage = (request: FastifyRequest, reply: FastifyReply) => {
    if (!isPage(request) || index === undefined) return app.notFoundAnswer(request, reply)
    const start = /^\/(pt-BR|en-GB)?\/?(?=\?|$)/.exec(request.url)
    if (start && home !== '/') return reply.redirect(start[1] ? `/${start[1]}${home}` : home)
    const nonce = randomBytes(16).toString('base64')
    const page = index.replaceAll(NONCE, nonce).replace('</head>', () => `${preload(request)}</head>`)
    const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    if (isCompressed) void reply.header('content-encoding', 'gzip')
    return reply
      .headers(PAGE_HEADERS)
      .header(
        'content-security-policy',
        pagePolicy(nonce, monitored, showsStreets(request.url) ? mapped : []),
      )
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .header('vary', 'accept-encoding')
      .send(isCompressed ? gzipSync(page) : page)
  }
  app.setNotFoundHandler(answerPage)
  // The framework finds no route in a path that it cannot decode.
  app.decorate('pageAnswer', answerPage)
}

/** API paths of every version get JSON, never the portal's page. */
const isPage = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !/^\/(?:admin|client|device)\/v\d[^/]*(?:\/|$)|^\/(?:media|assets|oidc)\//.test(request.url)

function sendFile(file: PortalFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply
    .headers(PAGE_HEADERS)
    .header('etag', file.etag)
    .header('vary', 'accept-encoding')
    .header('cache-control', file.cache_control)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = ENCODINGS.find(([name]) => accepted.includes(name) && file.encoded.has(name))?.[0]
  if (encoding) void reply.header('content-encoding', encoding)
  return reply.type(file.content_type).send((encoding && file.encoded.get(encoding)) ?? file.body)
}

/** The build's preload table of the pages. */
async function preloadTable(folder: string): Promise<PagePreload[]> {
  const path = join(folder, '.vite/preload.json')
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as PagePreload[]) : []
}

async function load(folder: string): Promise<Map<string, PortalFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, PortalFile>()
  for (const entry of names) {
    const path = join(entry.parentPath, entry.name)
    const extension = extname(entry.name)
    const content_type = CONTENT_TYPES[extension]
    if (!entry.isFile() || !content_type || path.includes('/.vite/')) continue
    const body = await readFile(path)
    const encoded = new Map<string, Buffer>()
    for (const [name, suffix] of ENCODINGS) {
      if (existsSync(path + suffix)) encoded.set(name, await readFile(path + suffix))
    }
    files.set(`/${relative(folder, path).replaceAll('\\', '/')}`, {
      body,
      encoded,
      content_type,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      cache_control: cacheControl(relative(folder, path)),
    })
  }
  return files
}

/** Files with a hash in their name never change; others are revalidated. */
function cacheControl(path: string): string {
  if (path.startsWith('assets')) return 'public, max-age=31536000, immutable'
  return path === 'version.json' ? 'no-store' : 'no-cache'
}
