import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

interface Edit {
  /** Below apps/server/src, or a file of packages/sealed-log/src with its whole path. */
  file: string
  from: string
  to: string
}

const COMMIT = 'ports/objects/filesystem-commit.ts'

/** A promise to auditors, broken: the named test of a file must fail. */
interface BrokenPromise {
  edits: readonly Edit[]
  /** As the file of an edit. */
  test: string
  name: string
}

const VERIFIER = 'packages/sealed-log/src'
const TAMPERED = { test: `${VERIFIER}/sealed-log.test.ts`, name: 'finds every tampering' }

/** What docs/evidence.md promises, each without the code that keeps it. */
export const BROKEN_PROMISES: Readonly<Record<string, BrokenPromise>> = {
  'a writer is not sealed': {
    edits: [
      {
        file: 'sealed-log/sources.ts',
        from: "  { table: 'payload_write_offs', id: ['payload_id', 'at'], at: 'at', fields: ['payload_id', 'at', 'by'] },\n",
        to: '',
      },
    ],
    test: 'sealed-log/seal.test.ts',
    name: 'every entry of every source',
  },
  'an entry that commits late is left out': {
    edits: [{ file: 'sealed-log/seal.ts', from: '!is_final || BigInt', to: 'BigInt' }],
    test: 'sealed-log/seal.test.ts',
    name: 'an entry that commits late',
  },
  'a changed row counts as sealed': {
    edits: [{ file: 'verify/sealed-log.ts', from: 'if (suspects.length === 0) return', to: 'return' }],
    test: 'verify/sealed-log.test.ts',
    name: 'each kind of tampering',
  },
  'a log that was cut off continues its checkpoints': {
    edits: [
      {
        file: 'sealed-log/contradictions.ts',
        from: 'else if (stated.size > size)',
        to: 'else if (stated.size < 0)',
      },
    ],
    test: 'verify/sealed-log.test.ts',
    name: 'cut off or forked',
  },
  'a fork does not stop destruction': {
    edits: [
      {
        file: 'sealed-log/contradictions.ts',
        from: 'insertContradictions(tx, found, now())',
        to: 'insertContradictions(tx, [], now())',
      },
    ],
    test: 'verify/sealed-log.test.ts',
    name: 'stops destruction',
  },
  'a time stamp needs no signature': {
    edits: [
      {
        file: 'sealed-log/time-stamp.ts',
        from: 'verify(digest, data, key, signature)',
        to: 'signature.length > 0',
      },
    ],
    test: 'sealed-log/share.test.ts',
    name: 'is no receipt',
  },
  'the verifier trusts any root': {
    edits: [
      {
        file: `${VERIFIER}/verify-file.ts`,
        from: '!equal(next.root, this.#frontier.root())',
        to: 'next.size < 0',
      },
    ],
    ...TAMPERED,
  },
  'the verifier trusts any key': {
    edits: [
      {
        file: `${VERIFIER}/note.ts`,
        from: 'verify(key.public_key, utf8(text), signature)',
        to: 'signature.length > 0',
      },
    ],
    ...TAMPERED,
    name: 'opens the note of the reference implementation',
  },
  'the verifier forgets your checkpoints': {
    edits: [{ file: `${VERIFIER}/verify-file.ts`, from: '[...others, ...trusted]', to: '[...others]' }],
    ...TAMPERED,
  },
  'the verifier trusts any proof': {
    edits: [{ file: `${VERIFIER}/merkle.ts`, from: 'isWhole && equal(found, root)', to: 'isWhole' }],
    ...TAMPERED,
  },
  'the verifier trusts any continuation': {
    edits: [
      { file: `${VERIFIER}/merkle.ts`, from: ' && equal(after, latter.root)', to: '' },
      { file: `${VERIFIER}/merkle.ts`, from: 'isWhole && equal(before, former.root)', to: 'isWhole' },
    ],
    ...TAMPERED,
  },
  'a recording is not locked': {
    edits: [
      {
        file: 'ports/objects/s3-bucket.ts',
        from: 'await onS3(key, () => client.send(new PutObjectRetentionCommand(retention(at, retain_until))))',
        to: '',
      },
    ],
    test: 'ports/objects/s3.test.ts',
    name: 'keep an object from the owner',
  },
  'a gap of a device is left out': {
    edits: [{ file: 'payloads/sequence.ts', from: '    gaps,\n', to: '    gaps: gaps.slice(1),\n' }],
    test: 'payloads/processing/sealed-metadata.test.ts',
    name: 'names each recording that never arrived',
  },
  'the CMS of an export signs something else': {
    edits: [
      {
        file: 'payloads/exports/sign-bag.ts',
        from: "sign('sha256', manifest, privateKey)",
        to: "sign('sha256', Buffer.of(1), privateKey)",
      },
    ],
    test: 'payloads/exports/exports.test.ts',
    name: 'unzip and sha256sum accept it',
  },
  'an explanation forgets the groups of a person': {
    edits: [
      {
        file: 'sessions/explain.ts',
        from: 'group_references: groups ?? undefined',
        to: 'group_references: undefined',
      },
    ],
    test: 'sessions/people.test.ts',
    name: 'as the calls then decide',
  },
  'the past keeps what was taken away': {
    edits: [{ file: 'sessions/explain.ts', from: 'documents.delete(reference)', to: 'return' }],
    test: 'sessions/people.test.ts',
    name: 'could do in the past',
  },
  'people decide about themselves': {
    edits: [
      {
        file: 'recertifications/routes.ts',
        from: 'body.user_references.includes(caller.user_reference)',
        to: 'false',
      },
    ],
    test: 'recertifications/recertifications.test.ts',
    name: 'no person decides about themselves',
  },
  'no reminder of a recertification': {
    edits: [
      { file: 'recertifications/store.ts', from: 'now() + RECERTIFICATION_WARNING_DAYS * DAY', to: '0' },
    ],
    test: 'recertifications/recertifications.test.ts',
    name: 'raises an alert from three days before',
  },
  'an outside auditor sees other matters': {
    edits: [{ file: 'access/load.ts', from: 'matters: matters ?? undefined,', to: '' }],
    test: 'sessions/assign-roles.test.ts',
    name: 'limit a person to the recordings of legal matters',
  },
  'a report is signed for something else': {
    edits: [
      {
        file: 'ports/keys/signed-file.ts',
        from: 'keys.sign(Buffer.from(canonical(report)))',
        to: 'keys.sign(Buffer.of(1))',
      },
    ],
    test: 'support-access/routes.test.ts',
    name: 'shows each step in order to the client',
  },
}

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
export async function brokenSources(name: string): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  const { [name]: breaks }: Record<string, readonly Edit[]> = BREAKS
  for (const { file, from, to } of breaks ?? BROKEN_PROMISES[name]?.edits ?? []) {
    const path = getPath(file)
    const source = sources.get(path) ?? (await readFile(join(ROOT, path), 'utf8'))
    if (!source.includes(from)) throw new Error(`"${name}" finds nothing to break in ${file}: ${from}`)
    sources.set(path, source.replaceAll(from, to))
  }
  return sources
}

const getPath = (file: string): string => (file.startsWith('packages/') ? file : `apps/server/src/${file}`)

/** Copies the server to `folder`, which must not exist, and applies the defect. Resolves to its program. */
export async function brokenBuild(folder: string, name: string): Promise<string> {
  const sources = await brokenSources(name)
  for (const part of ['src', 'migrations', 'package.json']
    .map((each) => `apps/server/${each}`)
    .concat(VERIFIER)) {
    await mkdir(dirname(join(folder, part)), { recursive: true })
    await cp(join(ROOT, part), join(folder, part), { recursive: true })
  }
  for (const each of await readdir(join(ROOT, 'packages')))
    if (!VERIFIER.startsWith(`packages/${each}/`))
      await symlink(join(ROOT, 'packages', each), join(folder, 'packages', each))
  for (const shared of ['node_modules', 'package.json', 'apps/web', 'scripts', 'tools'])
    await symlink(join(ROOT, shared), join(folder, shared))
  for (const [path, source] of sources) await writeFile(join(folder, path), source)
  return join(folder, 'apps/server/src/main.ts')
}

/** Runs the test of a promise in a copy of the source. */
export function testPromise(
  folder: string,
  { test, name }: BrokenPromise,
): { passed: number; failed: number } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = [`--test-name-pattern=${name}`, '--test-reporter=tap', getPath(test)]
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  const count = (of: string) => Number(new RegExp(`^# ${of} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail') }
}
