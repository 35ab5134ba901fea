import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { KeyProvider } from '../ports/keys/port.ts'
import { keyTexts, noteKeys } from '../sealed-log/notes.ts'

const run = promisify(execFile)
/** The one file that auditors have. */
export const VERIFIER = fileURLToPath(new URL('../../../web/public/custodia-verify.mjs', import.meta.url))

/** What the offline verifier prints about a file or folder. */
export const verifyOffline = (path: string, ...options: string[]): Promise<string> =>
  run(process.execPath, [VERIFIER, path, ...options], { env: {} }).then(
    ({ stdout }) => stdout,
    (error: { stderr: string }) => error.stderr,
  )

/**
 * Saves a signed document as a server answers it. The offline verifier must accept it with the key of the account, and with
 * another client in it name the document and the reason.
 */
export async function assertVerifiedOffline(
  keys: Pick<KeyProvider, 'verificationKeys'>,
  document: object,
  title: string,
): Promise<void> {
  const text = JSON.stringify(document)
  const client = /"client":"([^"]+)"/.exec(text)?.[1] ?? ''
  const options = keyTexts(await noteKeys(keys, client)).map((key) => `--key=${key}`)
  const folder = await mkdtemp(join(tmpdir(), 'custodia-document-'))
  const verify = async (saved: string) => {
    await writeFile(join(folder, 'document.json'), saved)
    return verifyOffline(join(folder, 'document.json'), ...options)
  }
  try {
    const good = await verify(text)
    assert.ok(good.startsWith(`GOOD: ${title}\n  signed with key `), good)
    assert.equal(await verify(JSON.stringify(document, null, 2)), good)
    const changed = await verify(text.replace(`"client":"${client}"`, `"client":"${client.slice(1)}_"`))
    assert.ok(changed.startsWith(`NOT GOOD: ${title}: it does not contain what was signed (key `), changed)
  } finally {
    await rm(folder, { recursive: true })
  }
}
