import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { showsStreets } from './maps.ts'
import { type PagePreload, preloader } from './portal-preload.ts'
import { PAGE_HEADERS, pagePolicy } from './security-headers.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
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
    app.get(path, (request, reply) => sendFile(file, request, reply))
  }
  app.setNotFoundHandler((request, reply) => {
    if (!isPage(request) || index === undefined) return app.notFoundAnswer(request, reply)
    const start = /^\/(pt-BR|en-GB)?\/?(?=\?|$)/.exec(request.url)
    if (start && home !== '/') return reply.redirect(start[1] ? `/${start[1]}${home}` : home)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers(PAGE_HEADERS)
      .header(
        'content-security-policy',
        pagePolicy(nonce, monitored, showsStreets(request.url) ? mapped : []),
      )
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(index.replaceAll(NONCE, nonce).replace('</head>', () => `${preload(request)}</head>`))
  })
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
