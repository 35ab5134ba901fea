import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

interface Edit {
  /** Below apps/server/src. */
  file: string
  from: string
  to: string
}

const COMMIT = 'ports/objects/filesystem-commit.ts'

/** Deliberate defects. The campaign of each must detect it, or the campaign proves nothing. */
export const BREAKS = {
  'no fsync': [
    { file: COMMIT, from: 'await onDisk(() => handle.sync())', to: '' },
    { file: 'ports/sync-folder.ts', from: 'await handle.sync()', to: '' },
  ],
  'no fsync of packed objects': [
    {
      file: 'ports/objects/pack-writer.ts',
      from: '      await file.sync()\n    })\n    const results',
      to: '    })\n    const results',
    },
  ],
  'no fsync of folders': [{ file: 'ports/sync-folder.ts', from: 'await handle.sync()', to: '' }],
  'what was published is taken back': [
    {
      file: COMMIT,
      from: '  await settle(dirname(path))\n}',
      to: '  await settle(dirname(path)).catch(async (e) => { await unlink(path); throw e })\n}',
    },
  ],
  'another data key is stored': [
    {
      file: 'payloads/processing/examine.ts',
      from: 'wrapped_dek: await ctx.keys.put(dek,',
      to: 'wrapped_dek: await ctx.keys.put(Buffer.alloc(32, 1),',
    },
  ],
  'rows are lost': [
    {
      file: 'payloads/intake/announce.ts',
      from: 'isCoherent(announcement))',
      to: 'isCoherent(announcement) && !/[0-7]$/.test(announcement.payload_reference))',
    },
    {
      file: 'payloads/intake/announce.ts',
      from: "if (!payload) return { payload_reference, status: 'failed', problem: 'invalid_announcement' }",
      to: "if (!payload) return { payload_reference, status: 'processed' }",
    },
  ],
  'rows are doubled': [
    {
      file: 'payloads/intake/announce-store.ts',
      from: 'items.map(getRow)',
      to: 'items.map(getRow).flatMap((row) => [row, { ...row, payload_reference: row.payload_reference.replace(/^0/, "1") }])',
    },
  ],
} satisfies Record<string, Edit[]>
export type Break = keyof typeof BREAKS

/** The source with a defect applied. Throws when an edit no longer matches: then the defect must be updated. */
export async function brokenSources(name: Break): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  for (const { file, from, to } of BREAKS[name]) {
    const source = sources.get(file) ?? (await readFile(join(ROOT, 'apps/server/src', file), 'utf8'))
    if (!source.includes(from)) throw new Error(`"${name}" finds nothing to break in ${file}: ${from}`)
    sources.set(file, source.replaceAll(from, to))
  }
  return sources
}

/** Copies the server to `folder`, which must not exist, and applies the defect. Resolves to its program. */
export async function brokenBuild(folder: string, name: Break): Promise<string> {
  const sources = await brokenSources(name)
  const server = join(folder, 'apps/server')
  await mkdir(server, { recursive: true })
  for (const part of ['src', 'migrations', 'package.json'])
    await cp(join(ROOT, 'apps/server', part), join(server, part), { recursive: true })
  for (const shared of ['node_modules', 'packages', 'package.json', 'apps/web', 'tools'])
    await symlink(join(ROOT, shared), join(folder, shared))
  for (const [file, source] of sources) await writeFile(join(server, 'src', file), source)
  return join(server, 'src/main.ts')
}
