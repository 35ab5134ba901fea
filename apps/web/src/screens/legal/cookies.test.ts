import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = 'src/screens/legal/cookies.tsx'
/** Names of the portal that are no storage key: a lock, and formats of signed files (`custodia.access/1`). */
const OTHER = /^custodia\.(?:refresh$|[\w-]+\/)/

test('the cookies page lists every storage key of the portal', async () => {
  const page = await readFile(WEB + PAGE, 'utf8')
  const missing = new Set<string>()
  for await (const path of glob('{index.html,src/**/*.{ts,tsx}}', { cwd: WEB })) {
    if (path === PAGE || path.includes('.test.') || path.includes('locales')) continue
    const source = await readFile(WEB + path, 'utf8')
    // A dotted or spaced end stands for what the key adds, such as a user.
    for (const [, key = ''] of source.matchAll(/['"`]((?:custodia\.|tanstack_)[\w./-]+[ :.]?)/g))
      if (!OTHER.test(key) && ![`'${key}'`, `'${key}…'`].some((name) => page.includes(name)))
        missing.add(`${key} (${path})`)
  }
  assert.deepEqual([...missing], [])
})
