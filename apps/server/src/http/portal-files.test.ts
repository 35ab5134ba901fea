import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { servePortal } from './portal-files.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'custodia-portal-'))
  await writeFile(join(folder, 'index.html'), '<script nonce="__CSP_NONCE__"></script>')
})
after(() => rm(folder, { recursive: true, force: true }))

async function ask(url: string, page: { home: string; monitored: string[] }) {
  const app = Fastify()
  app.decorate('notFoundAnswer', (_request, reply) => reply.code(404).send())
  await servePortal(app, folder, page)
  const answer = await app.inject(url)
  await app.close()
  return answer
}

test('pages reach the monitoring that is configured, and nothing else', async () => {
  const policyOf = async (monitored: string[]) =>
    String((await ask('/dashboard', { home: '/', monitored })).headers['content-security-policy'])
  assert.match(await policyOf([]), /; connect-src 'self';/)
  assert.match(await policyOf(['https://rum.example']), /; connect-src 'self' https:\/\/rum\.example;/)
})

test('the address of the portal leads to the configured page, in the language it was asked in', async () => {
  const to = async (url: string, home: string) => {
    const { statusCode, headers } = await ask(url, { home, monitored: [] })
    return [statusCode, headers.location]
  }
  assert.deepEqual(await to('/', '/sign-in'), [302, '/sign-in'])
  assert.deepEqual(await to('/?x', '/sign-in'), [302, '/sign-in'])
  assert.deepEqual(await to('/pt-BR', '/sign-in'), [302, '/pt-BR/sign-in'])
  for (const url of ['/sign-in', '/pt-BR/sign-in', '//evil.example', '/de'])
    assert.deepEqual(await to(url, '/sign-in'), [200, undefined], url)
  assert.deepEqual(await to('/', '/'), [200, undefined])
})
