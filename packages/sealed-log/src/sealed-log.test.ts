import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { crc32, deflateRawSync } from 'node:zlib'
import { canonical, LOG_FAULTS, logFaultPhrase, SIGNED_FILES } from '@custodia/contract'
import { findProgram } from '../../../apps/server/src/testing/daemon.ts'
import { longOnly } from '../../../apps/server/src/testing/long.ts'
import { requirePart } from '../../../apps/server/src/testing/require-part.ts'
import { makeVerifier, VERIFIER } from '../../../scripts/verifier.ts'
import {
  decodeEntries,
  getDigest,
  encodeEntries,
  formatCheckpoint,
  formatKey,
  formatLeaf,
  formatNote,
  fromHex,
  CONSISTENCY_FORMAT,
  Frontier,
  GrowingTree,
  isConsistent,
  isIncluded,
  leafHash,
  LOG_FORMAT,
  openNote,
  parseCheckpoint,
  parseKey,
  parseTilePath,
  PROOF_FORMAT,
  proveConsistency,
  proveInclusion,
  type ReadNodes,
  readFrontier,
  tilePath,
  getTiles,
  toHex,
  utf8,
  verifyFile,
  verifySigned,
} from './index.ts'

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
const verifyEd25519 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key])
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}
const bytes = (hex: string): Uint8Array => fromHex(hex) ?? assert.fail(hex)

/** Reads the nodes of leaves in memory. */
function getNodes(leaves: readonly Uint8Array[]): ReadNodes {
  return async (level, from, count) =>
    Array.from({ length: count }, (_, n) => {
      const unit = 256 ** level
      const frontier = new Frontier(sha256)
      for (const leaf of leaves.slice((from + n) * unit, (from + n + 1) * unit)) frontier.push(leaf)
      return frontier.root()
    })
}

// The test vectors that implementations of RFC 6962 share.
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => leafHash(sha256, bytes(hex)))
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const INCLUSIONS: readonly [index: number, size: number, proof: readonly string[]][] = [
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
]
const CONSISTENCIES: readonly [former: number, size: number, proof: readonly string[]][] = [
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
]

describe('a Merkle tree', () => {
  it('has the roots and proofs of the published vectors of RFC 6962', async () => {
    for (const [size, root] of ROOTS.entries())
      assert.equal(toHex((await readFrontier(sha256, getNodes(LEAVES), 0, size)).root()), root)
    for (const [index, size, proof] of INCLUSIONS)
      assert.deepEqual((await proveInclusion(sha256, getNodes(LEAVES), index, size)).map(toHex), proof)
    for (const [former, size, proof] of CONSISTENCIES)
      assert.deepEqual((await proveConsistency(sha256, getNodes(LEAVES), former, size)).map(toHex), proof)
  })

  it('proves every leaf and every earlier tree, and nothing else', async () => {
    const root = (size: number) => bytes(ROOTS[size] ?? '')
    for (let size = 1; size <= LEAVES.length; size++)
      for (let n = 0; n < size; n++) {
        const hash = LEAVES[n] ?? assert.fail()
        const inclusion = { hash, index: n, size, root: root(size) }
        const proof = await proveInclusion(sha256, getNodes(LEAVES), n, size)
        assert.ok(isIncluded(sha256, { ...inclusion, proof }))
        assert.ok(!isIncluded(sha256, { ...inclusion, hash: sha256(hash), proof }))
        assert.ok(!isIncluded(sha256, { ...inclusion, proof: [...proof, hash] }))
        assert.ok(size === 1 || !isIncluded(sha256, { ...inclusion, index: (n + 1) % size, proof }))
        const [former, latter] = [
          { size: n + 1, root: root(n + 1) },
          { size, root: root(size) },
        ]
        const way = await proveConsistency(sha256, getNodes(LEAVES), n + 1, size)
        assert.ok(isConsistent(sha256, { former, latter, proof: way }), `${n + 1} to ${size}`)
        const forked = { ...former, root: sha256(former.root) }
        assert.ok(!isConsistent(sha256, { former: forked, latter, proof: way }))
        assert.ok(!isConsistent(sha256, { former, latter, proof: [...way, hash] }))
      }
  })

  it('reads the same proofs from tiles of several levels', async () => {
    const leaves = Array.from({ length: 700 }, (_, n) => leafHash(sha256, utf8(String(n))))
    const levels: number[] = []
    const read: ReadNodes = (level, from, count) => {
      levels.push(level)
      return getNodes(leaves)(level, from, count)
    }
    const frontier = new Frontier(sha256)
    for (const leaf of leaves) frontier.push(leaf)
    assert.deepEqual((await readFrontier(sha256, read, 0, 700)).root(), frontier.root())
    assert.ok(levels.includes(1))
    const tree = await GrowingTree.read(sha256, getNodes(leaves), 500)
    const nodes = leaves.slice(500).flatMap((leaf) => tree.append(leaf))
    assert.deepEqual(tree.root(), frontier.root())
    assert.deepEqual(nodes, [{ level: 1, index: 1, hash: (await getNodes(leaves)(1, 1, 1))[0] }])
    for (const index of [0, 255, 256, 511, 699]) {
      const proof = await proveInclusion(sha256, read, index, 700)
      const hash = leaves[index] ?? assert.fail()
      assert.ok(isIncluded(sha256, { hash, index, size: 700, root: frontier.root(), proof }))
    }
  })
})

describe('C2SP formats', () => {
  it('tiles have the paths of the specification', () => {
    assert.equal(tilePath({ level: 0, index: 1_234_067, width: 256 }), 'tile/0/x001/x234/067')
    assert.equal(tilePath({ level: 'entries', index: 0, width: 12 }), 'tile/entries/000.p/12')
    for (const tile of getTiles(70_000)) assert.deepEqual(parseTilePath(tilePath(tile)), tile)
    // The specification's example of a tree of 70,000 entries.
    assert.deepEqual(
      getTiles(70_000)
        .filter(({ width }) => width < 256)
        .map(tilePath),
      ['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1'],
    )
    for (const path of ['tile/0/1', 'tile/0/x000/001', 'tile/0/000.p/0', 'tile/0/000.p/256', 'tile/64/000'])
      assert.equal(parseTilePath(path), undefined, path)
    const entries = [utf8('a'), new Uint8Array(), utf8('b'.repeat(300))]
    assert.deepEqual(decodeEntries(encodeEntries(entries)), entries)
    assert.equal(decodeEntries(encodeEntries(entries).slice(0, -1)), undefined)
  })

  it('opens the note of the reference implementation, and no altered one', () => {
    const key =
      parseKey(sha256, 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW') ?? assert.fail()
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    const line =
      '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
    const open = (note: string) => openNote(sha256, verifyEd25519, note, [key])
    assert.equal(open(`${text}\n${line}`), text)
    assert.equal(open(`${text.replace('your', 'our')}\n${line}`), undefined)
    assert.equal(open(`${text}\n${line.replace('x08g', 'x08h')}`), undefined)
    // Signatures of others, such as witnesses, are skipped.
    assert.equal(
      open(`${text}\n${line}— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n==\n`),
      undefined,
    )
    assert.equal(open(`${text}\n— EnochRoot rwz+eBzmZa0SO3Nb\n${line}`), text)
    assert.ok(parseKey(sha256, 'TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6'))
    assert.ok(parseKey(sha256, 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'))
    assert.equal(
      parseKey(sha256, 'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'),
      undefined,
    )
  })

  it('checkpoints name the log, its size and its root', () => {
    const checkpoint = { origin: 'example.com/log', size: 8, root: bytes(ROOTS[8] ?? '') }
    const text = formatCheckpoint(checkpoint)
    assert.equal(text, 'example.com/log\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n')
    assert.deepEqual(parseCheckpoint(`${text}an extension\n`), checkpoint)
    assert.equal(parseCheckpoint(text.replace('\n8\n', '\n08\n')), undefined)
  })
})

const ORIGIN = 'custodia/acme'

function newSigner() {
  const pair = generateKeyPairSync('ed25519')
  const public_key = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const key = { name: ORIGIN, algorithm: 'Ed25519', public_key } as const
  return {
    key: formatKey(sha256, key),
    pem: String(pair.publicKey.export({ format: 'pem', type: 'spki' })),
    seal(leaves: readonly string[], origin = ORIGIN): string {
      const frontier = new Frontier(sha256)
      for (const leaf of leaves) frontier.push(leafHash(sha256, utf8(leaf)))
      const text = formatCheckpoint({ origin, size: leaves.length, root: frontier.root() })
      return formatNote(sha256, text, key, sign(null, utf8(text), pair.privateKey))
    },
  }
}

interface Entry {
  position: number
  leaf: string
  salt?: string
  fields?: Record<string, unknown>
}

const SIGNER = newSigner()
const STRANGER = newSigner()
const IS_LONG = process.env['TEST_LONG'] === 'true'
/** Entries that the newest checkpoint of the auditor covers: `npm run test:long` makes 1,000 tamperings with them. */
const COVERED = IS_LONG ? 79 : 17
const SIZE = COVERED + 7

function makeEntry(position: number, by = 'alice'): Entry {
  const salt = randomBytes(16)
  const fields = { log_id: `entry ${position}`, by }
  const digest = toHex(getDigest(sha256, salt, fields))
  const leaf = formatLeaf({ source: 'portal_activities', at: 1_800_000_000 + position, digest })
  // Every third one is erased: its leaf remains.
  return position % 3 === 2 ? { position, leaf } : { position, leaf, salt: toHex(salt), fields }
}

const ENTRIES = Array.from({ length: SIZE }, (_, n) => makeEntry(n))
const getLeaves = (entries: readonly Entry[]) => entries.map(({ leaf }) => leaf)
/** Checkpoints that the auditor received on the way. */
const HELD = [...new Set([1, 9, 17, COVERED])].map((size) => SIGNER.seal(getLeaves(ENTRIES.slice(0, size))))

const getFile = (
  entries: readonly Entry[],
  signer = SIGNER,
  checkpoint = signer.seal(getLeaves(entries)),
) => [
  JSON.stringify({ format: LOG_FORMAT, checkpoint, checkpoints: HELD.slice(0, 2) }),
  ...entries.map((entry) => JSON.stringify(entry)),
]
const sealed = SIGNER.seal(getLeaves(ENTRIES))
const numbered = (entries: readonly Entry[]) => entries.map((entry, position) => ({ ...entry, position }))
const TRUSTED = { keys: [SIGNER.key], checkpoints: HELD }
const check = (lines: readonly string[], trusted = TRUSTED) =>
  verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted)

/** Proofs of the entries, and that the log continues the auditor's newest checkpoint. */
const NODES = getNodes(ENTRIES.map(({ leaf }) => leafHash(sha256, utf8(leaf))))
const PROOFS = await Promise.all(ENTRIES.map((_, n) => proveInclusion(sha256, NODES, n, SIZE)))
const CONTINUED = await proveConsistency(sha256, NODES, COVERED, SIZE)

const getProof = (at: number, entry: Partial<Entry> = {}, proof = PROOFS[at] ?? []) => [
  JSON.stringify({
    format: PROOF_FORMAT,
    checkpoint: sealed,
    ...ENTRIES[at],
    ...entry,
    proof: proof.map(toHex),
  }),
]
const getConsistency = (proof: readonly Uint8Array[], former = HELD.at(-1)) => [
  JSON.stringify({ format: CONSISTENCY_FORMAT, former, checkpoint: sealed, proof: proof.map(toHex) }),
]
const changedAt = (proof: readonly Uint8Array[], at: number) =>
  proof.with(at % proof.length, sha256(proof[at % proof.length] ?? assert.fail()))
/** A checkpoint with the signature of another one. */
function forged(note: string): string {
  const [at, end] = [sealed.indexOf('\n\n'), note.indexOf('\n\n')]
  return `${note.slice(0, end)}${sealed.slice(at)}`
}

/** Tamperings at an entry: by a person who cannot sign, and by the operator, who can. */
const TAMPERINGS: Record<string, (at: number) => string[]> = {
  'edited field': (at) => getFile(ENTRIES.with(at, edited(at)), SIGNER, sealed),
  'edited entry': (at) => getFile(ENTRIES.with(at, makeEntry(at, 'mallory')), SIGNER, sealed),
  'edited entry, sealed again': (at) => getFile(ENTRIES.with(at, makeEntry(at, 'mallory'))),
  'deleted entry': (at) => getFile(ENTRIES.toSpliced(at, 1), SIGNER, sealed),
  'deleted entry, sealed again': (at) => getFile(numbered(ENTRIES.toSpliced(at, 1))),
  'inserted entry': (at) =>
    getFile(numbered(ENTRIES.toSpliced(at, 0, makeEntry(at, 'mallory'))), SIGNER, sealed),
  'inserted entry, sealed again': (at) =>
    getFile(numbered(ENTRIES.toSpliced(at, 0, makeEntry(at, 'mallory')))),
  'reordered entries': (at) => getFile(swapped(at), SIGNER, sealed),
  'reordered entries, sealed again': (at) => getFile(swapped(at)),
  truncated: (at) => getFile(ENTRIES.slice(0, at), SIGNER, sealed),
  'truncated, sealed again': (at) => getFile(ENTRIES.slice(0, at)),
  'forked behind an entry': (at) =>
    getFile(ENTRIES.map((entry, n) => (n < at ? entry : makeEntry(n, 'mallory')))),
  'member with two values': (at) => {
    const lines = getFile(ENTRIES, SIGNER, sealed)
    return lines.with(at + 1, (lines[at + 1] ?? '').replace('{', '{"fields":{"by":"mallory"},'))
  },
  'forged checkpoint': (at) => {
    const others = ENTRIES.with(at, makeEntry(at, 'mallory'))
    return getFile(others, SIGNER, forged(SIGNER.seal(getLeaves(others))))
  },
  'proof with another hash': (at) => getProof(at, {}, changedAt(PROOFS[at] ?? [], at)),
  'proof that is cut off': (at) => getProof(at, {}, PROOFS[at]?.slice(0, -1)),
  'proof of another entry': (at) => getProof(at, makeEntry(at, 'mallory')),
  'proof at another position': (at) => getProof(at, { position: at === 0 ? 1 : at - 1 }),
  'consistency with another hash': (at) => getConsistency(changedAt(CONTINUED, at)),
  'consistency with a fork': (at) =>
    getConsistency(CONTINUED, SIGNER.seal(getLeaves(ENTRIES.slice(0, COVERED).with(at, makeEntry(at))))),
  'key swapped': (at) => getFile(ENTRIES.with(at, makeEntry(at)), STRANGER),
}

function edited(at: number): Entry {
  const { fields, ...entry } = ENTRIES[at] ?? assert.fail()
  return { ...entry, fields: { ...fields, by: 'mallory' } }
}

function swapped(at: number): Entry[] {
  const other = at === 0 ? 1 : at - 1
  const [a, b] = [ENTRIES[at] ?? assert.fail(), ENTRIES[other] ?? assert.fail()]
  return numbered(ENTRIES.with(at, b).with(other, a))
}

describe('the offline verifier', () => {
  it('finds every tampering, and none in untouched logs', async () => {
    const missed: string[] = []
    let count = 0
    for (let at = 0; at < COVERED; at++)
      for (const [name, tamper] of Object.entries(TAMPERINGS)) {
        count++
        if ((await check(tamper(at))).isGood) missed.push(`${name} at ${at}`)
      }
    assert.deepEqual(missed, [])
    assert.ok(count > (IS_LONG ? 1000 : 200))
    for (let n = 0; n < (IS_LONG ? 1000 : SIZE); n++) {
      const size = COVERED + (n % 8)
      const others = Array.from({ length: size - COVERED }, (_, more) => makeEntry(COVERED + more))
      const verdict = await check(getFile([...ENTRIES.slice(0, COVERED), ...others]))
      assert.ok(verdict.isGood, JSON.stringify(verdict))
      assert.equal(verdict.entries, size)
      assert.ok((await check(getProof(n % SIZE))).isGood)
    }
    assert.ok((await check(getConsistency(CONTINUED))).isGood)
  })

  it('names the first fault', async () => {
    const fault = async (name: string, at: number) => {
      const verdict = await check(TAMPERINGS[name]?.(at) ?? assert.fail())
      return verdict.isGood ? 'good' : logFaultPhrase(verdict.fault, 'en-GB')
    }
    assert.equal(await fault('edited field', 7), 'entry 7 has other fields than were sealed')
    assert.equal(await fault('deleted entry', 7), 'entry 7 is missing: position 8 follows')
    assert.equal(
      await fault('edited entry, sealed again', 12),
      'an entry from 9 to 16 is not the one that the checkpoint of 17 entries sealed',
    )
    assert.match(await fault('key swapped', 3), /not signed by a trusted key/)
    for (const depth of [3000, 1_000_000]) {
      const lines = getFile(ENTRIES, SIGNER, sealed)
      const deep = `{"position":0,"salt":"","fields":${'['.repeat(depth)}${']'.repeat(depth)}}`
      assert.equal((await check(lines.with(1, deep))).isGood, false, `${depth} levels`)
    }
    // The server signs the logs of all its accounts with the same key.
    const other = getFile(ENTRIES, SIGNER, SIGNER.seal(getLeaves(ENTRIES), 'custodia/other')).with(
      0,
      JSON.stringify({ format: LOG_FORMAT, checkpoint: SIGNER.seal(getLeaves(ENTRIES), 'custodia/other') }),
    )
    const verdict = await check(other, { keys: [SIGNER.key], checkpoints: [] })
    assert.ok(!verdict.isGood)
    assert.equal(
      logFaultPhrase(verdict.fault, 'en-GB'),
      'the checkpoint of the file is of the log custodia/other',
    )
    assert.match(await fault('truncated, sealed again', 12), /your checkpoint has 17 entries, the log has 12/)
  })

  it('gives every fault a sentence in both languages, with the same values', () => {
    const source = readFileSync(new URL('verify-file.ts', import.meta.url), 'utf8')
    for (const [code, phrase] of Object.entries(LOG_FAULTS)) {
      assert.ok(source.includes(`'${code}'`), `${code}: nothing throws it`)
      const [en, pt] = [phrase['en-GB'], phrase['pt-BR']]
      assert.notEqual(en, pt, code)
      const getValues = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()
      assert.deepEqual(getValues(en), getValues(pt), code)
    }
    const fault = {
      code: 'checkpoint_of_other',
      values: { checkpoint: 'own', origin: 'custodia/other' },
    } as const
    assert.equal(logFaultPhrase(fault, 'pt-BR'), 'seu ponto de verificação é da trilha custodia/other')
    assert.doesNotMatch(readFileSync(VERIFIER, 'utf8'), /ponto de verificação/)
  })

  it('is one file that needs no packages, made of these sources', async () => {
    const text = readFileSync(VERIFIER, 'utf8')
    assert.equal(text, await makeVerifier(), 'run node scripts/verifier.ts')
    assert.ok(text.split('\n').length <= 1000)
    assert.doesNotMatch(text, /from '(?!node:)/)
    const folder = mkdtempSync(join(tmpdir(), 'sealed-log-'))
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const log = write('log.jsonl', `${getFile(ENTRIES).join('\n')}\n`)
    const held = write('held.txt', HELD[2] ?? '')
    const printed = execFileSync(process.execPath, [
      VERIFIER,
      log,
      `--key=${SIGNER.key}`,
      `--checkpoint=${held}`,
    ])
    assert.ok(String(printed).startsWith(`GOOD: custodia/acme, ${SIZE} entries sealed\n`))
    const hash = (n: number) => leafHash(sha256, utf8(ENTRIES[n]?.leaf ?? ''))
    const nodes = getNodes(ENTRIES.map((_, n) => hash(n)))
    const proof = (await proveInclusion(sha256, nodes, 4, SIZE)).map(toHex)
    const proven = { format: PROOF_FORMAT, checkpoint: sealed, ...ENTRIES[4], proof }
    assert.ok((await check([JSON.stringify(proven)])).isGood)
    // A checkpoint of another size proves nothing about a proof, and contradicts none; one of its size must be the same.
    const later = SIGNER.seal(getLeaves([...ENTRIES, makeEntry(SIZE)]))
    const verdict = await check([JSON.stringify(proven)], {
      keys: [SIGNER.key],
      checkpoints: [later, sealed],
    })
    assert.ok(verdict.isGood && verdict.skipped === 1)
    const fork = SIGNER.seal(getLeaves(ENTRIES.with(1, makeEntry(1))))
    assert.ok(!(await check([JSON.stringify(proven)], { keys: [SIGNER.key], checkpoints: [fork] })).isGood)
    const way = (await proveConsistency(sha256, nodes, COVERED, SIZE)).map(toHex)
    const former = SIGNER.seal(getLeaves(ENTRIES.slice(0, COVERED)))
    const continued = [JSON.stringify({ format: CONSISTENCY_FORMAT, former, checkpoint: sealed, proof: way })]
    const compare = (...checkpoints: string[]) => check(continued, { keys: [SIGNER.key], checkpoints })
    const found = await compare(former, sealed, later)
    assert.ok(found.isGood && found.skipped === 1)
    assert.ok(!(await compare(fork)).isGood)
    // As auditors save them: without the last line break, of another system, and the whole text of a mail.
    for (const saved of [
      former.trimEnd(),
      former.replaceAll('\n', '\r\n'),
      `Keep this mail.\nGuarde.\n\n${former}\n\n`,
    ]) {
      const same = await compare(saved)
      assert.ok(same.isGood && same.skipped === 0, saved)
      assert.ok(!(await compare(saved.replace(/\d/, '9'))).isGood)
    }
    const one = write('proven.json', JSON.stringify(proven))
    for (const saved of [`${SIGNER.key}\n`, SIGNER.pem]) {
      const output = execFileSync(process.execPath, [VERIFIER, one, `--key=${write('key.txt', saved)}`])
      assert.match(
        String(output),
        /^GOOD: custodia\/acme, .*\n {2}compared: entries 1, of them readable 1; checkpoints 1\n$/,
      )
    }
    const first = { ...ENTRIES[0], proof: (await proveInclusion(sha256, nodes, 0, SIZE)).map(toHex) }
    for (const position of [0.5, '0', null, [0]]) {
      const verdict = await check([
        JSON.stringify({ format: PROOF_FORMAT, checkpoint: sealed, ...first, position }),
      ])
      assert.ok(!verdict.isGood, `position ${JSON.stringify(position)}`)
    }
    const moved = write('proof.json', JSON.stringify({ ...proven, position: 5 }))
    const { status, stderr } = spawnSync(process.execPath, [VERIFIER, moved, `--key=${SIGNER.key}`])
    assert.equal(status, 1)
    assert.ok(
      String(stderr).startsWith(`NOT GOOD: the proof does not show the entry at position 5 of ${SIZE}`),
    )
  })
})

/** What `counterpart.go` reads and prints. */
interface Counterpart {
  Key: string
  Leaves: string[]
  Checkpoints: Record<string, string>
  Inclusions: { Index: number; Size: number; Proof: string[] | null }[]
  Consistencies: { Former: number; Size: number; Proof: string[] | null }[]
  Tiles: Record<string, string> | null
}

const GO_PACKAGES = '/usr/share/gocode'
const go = longOnly.skip
  ? longOnly
  : requirePart(
      'golang-golang-x-mod-dev',
      findProgram('go') !== undefined && existsSync(`${GO_PACKAGES}/src/golang.org/x/mod/sumdb/tlog`),
    )

describe('the checksum database of Go', go, () => {
  const base64 = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('base64'))
  const hashesOf = (texts: readonly string[] | null) =>
    (texts ?? []).map((text) => Buffer.from(text, 'base64'))
  const program = fileURLToPath(new URL('counterpart.go', import.meta.url))
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_PACKAGES, GOFLAGS: '', CGO_ENABLED: '0' }
  const ask = (given: Counterpart) =>
    spawnSync('go', ['run', program], { env, input: JSON.stringify(given), encoding: 'utf8' })
  const Leaves = Array.from({ length: 700 }, (_, n) => makeEntry(n).leaf)
  const nodes = getNodes(Leaves.map((leaf) => leafHash(sha256, utf8(leaf))))

  /** A log of ours: checkpoints, proofs and tiles. */
  async function makeLog(): Promise<Counterpart> {
    const given: Counterpart = {
      Key: SIGNER.key,
      Leaves,
      Checkpoints: {},
      Inclusions: [],
      Consistencies: [],
      Tiles: {},
    }
    for (const Size of [1, 2, 255, 256, 257, 513, 700]) {
      given.Checkpoints[Size] = SIGNER.seal(Leaves.slice(0, Size))
      for (const Index of [0, Size >> 1, Size - 1])
        given.Inclusions.push({
          Index,
          Size,
          Proof: base64(await proveInclusion(sha256, nodes, Index, Size)),
        })
      for (const Former of [1, (Size >> 1) + 1, Size])
        given.Consistencies.push({
          Former,
          Size,
          Proof: base64(await proveConsistency(sha256, nodes, Former, Size)),
        })
    }
    for (const { level, index, width } of getTiles(Leaves.length)) {
      const from = index * 256
      const hashes = typeof level === 'number' ? await nodes(level, from, width) : []
      given.Tiles = {
        ...given.Tiles,
        [tilePath({ level, index, width })]: Buffer.concat(hashes).toString('base64'),
      }
    }
    return given
  }

  it('accepts our checkpoints, proofs and tiles, and we accept its own', async () => {
    const { stdout, stderr, status } = ask(await makeLog())
    assert.equal(status, 0, stderr)
    const its = JSON.parse(stdout) as Counterpart
    const roots = new Map<number, Uint8Array>()
    const key = parseKey(sha256, its.Key) ?? assert.fail()
    for (const [size, note] of Object.entries(its.Checkpoints)) {
      const opened = parseCheckpoint(openNote(sha256, verifyEd25519, note, [key]) ?? '')
      assert.equal(opened?.size, Number(size))
      roots.set(Number(size), opened?.root ?? assert.fail())
    }
    const root = (size: number) => roots.get(size) ?? assert.fail()
    for (const { Index: index, Size: size, Proof } of its.Inclusions) {
      const [hash] = await nodes(0, index, 1)
      const claim = { hash: hash ?? assert.fail(), index, size, root: root(size), proof: hashesOf(Proof) }
      assert.ok(isIncluded(sha256, claim), `entry ${index} of ${size}`)
    }
    for (const { Former, Size: size, Proof } of its.Consistencies) {
      const former = { size: Former, root: (await readFrontier(sha256, nodes, 0, Former)).root() }
      const latter = { size, root: root(size) }
      assert.ok(isConsistent(sha256, { former, latter, proof: hashesOf(Proof) }), `${Former} of ${size}`)
    }
    assert.ok(its.Inclusions.length > 15)
  })

  it('refuses ours once a hash is another one', async () => {
    const log = await makeLog()
    const other = Buffer.alloc(32, 1).toString('base64')
    const [inclusion, consistency] = [log.Inclusions.at(-1), log.Consistencies.at(-2)]
    const last = tilePath(getTiles(Leaves.length).at(-1) ?? assert.fail())
    const altered: [Partial<Counterpart>, RegExp][] = [
      [{ Inclusions: [{ ...(inclusion ?? assert.fail()), Proof: [other] }] }, /^.*entry 699 of 700: /],
      [{ Consistencies: [{ ...(consistency ?? assert.fail()), Proof: [other] }] }, /351 of 700: /],
      [{ Tiles: { ...log.Tiles, [last]: other } }, /has other hashes/],
      [{ Checkpoints: { 2: log.Checkpoints['257'] ?? '' } }, /another root/],
      [{ Key: STRANGER.key }, /unverified|no verifiable/],
    ]
    for (const [change, reason] of altered) {
      const { status, stderr } = ask({ ...log, ...change })
      assert.notEqual(status, 0)
      assert.match(stderr, reason)
    }
  })
})

describe('signed documents', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const pem = String(publicKey.export({ format: 'pem', type: 'spki' }))
  const getKey = (name: string) =>
    formatKey(sha256, { name, algorithm: 'Ed25519', public_key: spki.subarray(-32) })
  const key = getKey('custodia/acme')

  function makeDocument(format: string, member: string, facts: readonly string[]): string {
    const times = Object.fromEntries(facts.map((name, n) => [name, n]))
    const signed = { format, client: 'acme', issued_at: 1_800_000_000, ...times }
    const value = sign(null, utf8(canonical(signed)), privateKey).toString('base64')
    const key_id = toHex(sha256(spki)).slice(0, 32)
    return JSON.stringify({ [member]: signed, signature: { algorithm: 'Ed25519', key_id, value } })
  }
  const verifyText = async (text: string, keys: readonly string[] = [key]) => {
    const verdict = await verifySigned({ sha256, verify: verifyEd25519 }, text, keys)
    return verdict ? (verdict.fault ?? 'good') : 'unreadable'
  }

  for (const [format, { member, facts }] of Object.entries(SIGNED_FILES))
    it(`finds each changed byte of ${format}`, async () => {
      const text = makeDocument(format, member, facts)
      assert.equal(await verifyText(text), 'good')
      assert.equal(await verifyText(JSON.stringify(JSON.parse(text), null, 2)), 'good')
      for (let at = 0; at < text.length; at++) {
        const changed = `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`
        assert.notEqual(await verifyText(changed), 'good', changed)
        assert.equal(await verifyText(text.slice(0, at)), 'unreadable')
      }
    })

  it('names the reason: another key or account, two members of one name, an unknown kind', async () => {
    const text = makeDocument('custodia.support/1', 'report', ['step_count'])
    const other = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }))
    assert.equal(await verifyText(text, [other, pem]), 'good')
    assert.equal(await verifyText(text, [pem.replaceAll('\n', ' ')]), 'good')
    assert.equal(await verifyText(text, [other]), 'unknown_key')
    assert.equal(await verifyText(text, [getKey('custodia/other')]), 'other_account')
    assert.equal(await verifyText(text.replace('"step_count"', '"step_count":9,"step_count"')), 'altered')
    assert.equal(await verifyText(text.replace('{"report"', '{"note":1,"report"')), 'altered')
    assert.equal(await verifyText(makeDocument('custodia.unknown/1', 'report', [])), 'unreadable')
    assert.equal(await verifyText(makeDocument('custodia.support/1', 'statement', [])), 'unreadable')
  })

  it('are verified by the one file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'signed-')), 'report.json')
    const run = (text: string, by = key) => {
      writeFileSync(file, text)
      return spawnSync(process.execPath, [VERIFIER, file, `--key=${by}`], { encoding: 'utf8' })
    }
    const text = makeDocument('custodia.support/1', 'report', ['step_count'])
    assert.match(
      run(text).stdout,
      /^GOOD: Report of a support session\n {2}signed with key \w{32}\n {2}client: "acme"\n {2}issued at: 2027-/,
    )
    assert.match(
      run(text.replace('acme', 'acne')).stderr,
      /^NOT GOOD: .*: it does not contain what was signed/,
    )
    assert.match(run(text, SIGNER.key).stderr, /^NOT GOOD: .*: it is signed with another key than yours/)
    assert.match(run(text.slice(0, -9)).stderr, /^NOT GOOD: cut off, or no file of Custodia/)
    assert.match(run(makeDocument('custodia.unknown/1', 'report', [])).stderr, /^NOT GOOD: neither/)
    const keys = join(file, '..', 'keys.pem')
    writeFileSync(keys, pem)
    assert.match(run(text, keys).stdout, /^GOOD/)
    const missing = spawnSync(process.execPath, [VERIFIER, `${file}.gone`, `--key=${key}`], {
      encoding: 'utf8',
    })
    assert.match(missing.stderr, /^NOT VERIFIED: ENOENT: no such file or directory.*report\.json\.gone'\n$/)
    assert.equal(missing.status, 2)
  })
})

describe('a ZIP that programs unpack differently', () => {
  const A = Buffer.from('the truth')
  const B = Buffer.from('the other')
  const FORGED = Buffer.from('a forgery')
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const manifest = Buffer.from(`${sha(A)}  data/a\n${sha(B)}  data/b\n`)
  const tags = Buffer.from(`${sha(manifest)}  manifest-sha256.txt\n`)
  const u16 = (n: number) => Buffer.from([n & 255, n >> 8])
  const u32 = (n: number) => Buffer.concat([u16(n & 0xffff), u16(n >>> 16)])
  const u64 = (n: number) => Buffer.concat([u32(n), u32(0)])
  interface Entry {
    name: string
    content: Buffer
    packed?: Buffer
    /** Extra field in the directory. */
    more?: Buffer
    /** The packed size before the content. */
    size?: number
    method?: number
  }
  /** The contents with their headers, and the directory of a ZIP that begins at `start`. */
  function parts(entries: readonly Entry[], start = 0): [contents: Buffer, directory: Buffer] {
    let contents = Buffer.alloc(0)
    let directory = Buffer.alloc(0)
    for (const { name, content, packed = content, more = Buffer.alloc(0), size, method = 8 } of entries) {
      const head = (packed_size: number, kind: number) =>
        Buffer.concat([
          ...[20, 0, kind, 0, 0x21].map(u16),
          u32(crc32(content)),
          u32(packed_size),
          u32(content.length),
          u16(name.length),
        ])
      const real = packed === content ? 0 : 8
      const at = u32(start + contents.length)
      const local = head(size ?? packed.length, real && method)
      contents = Buffer.concat([contents, u32(0x04034b50), local, u16(0), Buffer.from(name), packed])
      const central = [u16(20), head(packed.length, real), u16(more.length), Buffer.alloc(10), at]
      directory = Buffer.concat([directory, u32(0x02014b50), ...central, Buffer.from(name), more])
    }
    return [contents, directory]
  }
  const getEnd = (entries: readonly Entry[], length: number, at: number) =>
    Buffer.concat([
      u32(0x06054b50),
      u32(0),
      u16(entries.length),
      u16(entries.length),
      u32(length),
      u32(at),
      u16(0),
    ])
  const others: Entry[] = [
    { name: 'data/b', content: B },
    { name: 'manifest-sha256.txt', content: manifest },
    { name: 'tagmanifest-sha256.txt', content: tags },
  ]
  const zip = (a: Omit<Entry, 'name' | 'content'>) => {
    const entries = [{ name: 'data/a', content: A, ...a }, ...others]
    const [contents, directory] = parts(entries)
    return Buffer.concat([contents, directory, getEnd(entries, directory.length, contents.length)])
  }
  /** The faults of a ZIP that is good but for its missing signature. */
  function getFaults(bytes: Buffer): string[] {
    const file = join(mkdtempSync(join(tmpdir(), 'zip-')), 'export.zip')
    writeFileSync(file, bytes)
    const run = spawnSync(process.execPath, [VERIFIER, file, `--key=${SIGNER.key}`], { encoding: 'utf8' })
    return run.stderr
      .replace(/^NOT GOOD: /, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && line !== 'tagmanifest-sha256.txt is not signed')
  }

  it('is found by the one file', () => {
    const packed = deflateRawSync(A)
    assert.deepEqual(getFaults(zip({})), [])
    assert.deepEqual(getFaults(zip({ packed })), [])
    const doubled = 'data/a: there are two files of this name'
    const changed = 'data/a: changed: its SHA-256 is not the one in the manifest'
    // A second name (Info-ZIP), by which `unzip` unpacks.
    const name = Buffer.concat([Buffer.of(1), u32(crc32('data/a')), Buffer.from('data/c')])
    const more = Buffer.concat([u16(0x7075), u16(name.length), name])
    assert.deepEqual(getFaults(zip({ more })), [doubled])
    // Programs that read a stream go by the header, and may find an entry in what follows a content.
    const hidden = Buffer.concat([packed, ...parts([{ name: 'data/b', content: FORGED }])])
    assert.deepEqual(getFaults(zip({ packed: hidden })), [changed])
    assert.deepEqual(getFaults(zip({ packed, method: 0 })), [doubled])
    assert.deepEqual(getFaults(zip({ packed, size: packed.length - 1 })), [doubled])
    // A directory behind the one of the Zip64 record that the locator names: Python and `unzip` take it.
    const entries = [{ name: 'data/a', content: A }, ...others]
    const [contents, directory] = parts(entries)
    const record = (length: number, at: number) => {
      const counts = [u32(0), u32(0), u64(entries.length), u64(entries.length), u64(length), u64(at)]
      return Buffer.concat([u32(0x06064b50), u64(44), u16(45), u16(45), ...counts])
    }
    const locator = (at: number) => Buffer.concat([u32(0x07064b50), u32(0), u64(at), u32(1)])
    const full = getEnd(entries, 0xffffffff, 0xffffffff)
    const good = Buffer.concat([contents, directory, record(directory.length, contents.length)])
    const at = contents.length + directory.length
    assert.deepEqual(getFaults(Buffer.concat([good, locator(at), full])), [])
    const [second, forged] = parts([{ name: 'data/a', content: FORGED }, ...others], good.length)
    const tail = record(forged.length, good.length + second.length)
    const of = getEnd(entries, forged.length, good.length + second.length)
    assert.ok(getFaults(Buffer.concat([good, second, forged, tail, locator(at), of])).length > 0)
    assert.ok(getFaults(Buffer.concat([good, locator(at), of])).length > 0)
  })
})
