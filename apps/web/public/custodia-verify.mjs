#!/usr/bin/env node
// Verifies exports, signed documents and the sealed log of Custodia offline: Node 20 or newer, no packages. See docs/evidence.md.
// Made by scripts/verifier.ts of packages/sealed-log/src.
import * as fs from 'node:fs'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createInflateRaw } from 'node:zlib'
import { createInterface } from 'node:readline'
import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
}
/**
 * The canonical text of a JSON value (RFC 8785): members sorted by name, no spaces, so that equal values give
 * equal bytes. Leaves out undefined members; numbers are integers.
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let members = ''
  // By UTF-16 code units, as RFC 8785 says.
  for (const name of Object.keys(value).toSorted()) {
    const member = value[name]
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(member)}`
  }
  return `{${members}}`
}

/** Kinds of signed documents by their signed member: title, and facts that verifiers show. */
const kind = (member) => (title, facts) => ({ member, title, facts: facts.split(' ') })
const certificate = kind('certificate')
const reconciliation = kind('reconciliation')
const report = kind('report')
const statement = kind('statement')

/** Every kind of document that the server signs as JSON. */
const SIGNED_FILES = {
  'custodia.access/1': report('Access report', 'payload_reference from to could did'),
  'custodia.capture/1': statement('Statement of completeness', 'day recorded archived queued explained missing'),
  'custodia.client-deletion/1': certificate('Certificate of a deleted account', 'proposed_by deleted_by deleted_at'),
  'custodia.destruction/1': certificate('Certificate of destruction', 'certificate_reference ended_at payloads'),
  'custodia.recertification/1': report('Recertification of access', 'name started_at ended_at confirmed revoked'),
  'custodia.reconciliation/1': reconciliation(
    'Reconciliation of a transfer',
    'payload_date captured delivered missing',
  ),
  'custodia.reviews/1': report('Review coverage', 'reader from to groups heard reviewed'),
  'custodia.support/1': report('Report of a support session', 'request_reference requested_by step_count started_at'),
}

/** The signed document of a text; undefined for another text, for example one that was cut off. */
function readSigned(text) {
  try {
    const file = JSON.parse(text)
    const plain = text.replaceAll('\r\n', '\n').trim()
    for (const format of Object.keys(SIGNED_FILES)) {
      const { [SIGNED_FILES[format].member]: member, signature, ...others } = file
      const [signed, { algorithm, key_id, value, ...rest }] = [Object(member), Object(signature)]
      if (signed.format !== format || typeof key_id !== 'string' || typeof value !== 'string') continue
      // Of two members with one name, programs and people read different ones.
      const isExact = [undefined, 2].some((indent) => JSON.stringify(file, null, indent) === plain)
      const isWhole = isExact && algorithm === 'Ed25519' && Object.keys({ ...others, ...rest }).length === 0
      return { format, signed, key_id, body: canonical(signed), signature: isWhole ? String(value) : undefined }
    }
  } catch {
    // Cut off, nested too deep, or with numbers that no server signs.
  }
  return undefined
}

/** Why a sealed log, a proof or a checkpoint is not good, by the codes of verifiers. The offline verifier has the English. */
const LOG_FAULTS = {
  not_a_key: { 'en-GB': 'not a key: {text}' },
  not_custodia: { 'en-GB': 'cut off, or no file of Custodia: {text}' },
  unknown_format: { 'en-GB': 'neither a sealed log, a proof, nor a known signed document' },
  respelled: { 'en-GB': 'not written as the server writes it: {text}' },
  unreadable: { 'en-GB': 'nested too deep, or a number that no server writes' },
  proof_lines: { 'en-GB': 'a proof is one line' },
  proof_hashes: { 'en-GB': 'the proof is not a list of hashes' },
  not_included: { 'en-GB': 'the proof does not show the entry at position {position} of {size}' },
  not_continued: { 'en-GB': 'the log of {size} entries does not continue the one of {former}' },
  checkpoint_missing: { 'en-GB': '{checkpoint} is missing' },
  checkpoint_unsigned: { 'en-GB': '{checkpoint} is not signed by a trusted key' },
  checkpoint_invalid: { 'en-GB': '{checkpoint} is not a checkpoint' },
  checkpoint_of_other: { 'en-GB': '{checkpoint} is of the log {origin}' },
  checkpoint_newer: { 'en-GB': 'a checkpoint has more entries than the log: {size}' },
  different_logs: { 'en-GB': 'the checkpoints are of different logs' },
  cut_off: { 'en-GB': 'your checkpoint has {size} entries, the log has {found}: it was cut off' },
  forked: { 'en-GB': 'your checkpoint of {size} entries has another root: the log was forked' },
  other_root: { 'en-GB': 'an entry from {from} to {to} is not the one that the checkpoint of {size} entries sealed' },
  other_count: { 'en-GB': 'the file has {found} entries, its checkpoint has {size}' },
  entry_missing: { 'en-GB': 'entry {position} is missing: position {found} follows' },
  entry_leaf: { 'en-GB': 'entry {position} has no leaf of this version' },
  entry_respelled: { 'en-GB': 'the leaf of entry {position} is not canonical' },
  entry_changed: { 'en-GB': 'entry {position} has other fields than were sealed' },
  entry_unsealed: { 'en-GB': 'entry {position} has a member that nothing seals: {text}' },
}

/** The checkpoints that faults name. */
const CHECKPOINTS = {
  newest: { 'en-GB': 'the checkpoint of the file' },
  former: { 'en-GB': 'an earlier checkpoint of the file' },
  own: { 'en-GB': 'your checkpoint' },
}

/** The text of a fault in a language, its values filled in. */
function logFaultPhrase({ code, values, path }, locale) {
  const named = CHECKPOINTS[values.checkpoint]
  const text = fill(LOG_FAULTS[code][locale], named ? { ...values, checkpoint: named[locale] } : values)
  return path === undefined ? text : `${path}: ${text}`
}

/** The UTF-8 bytes of a text. */
const utf8 = (text) => new TextEncoder().encode(text)

/** Joins byte arrays. */
function concat(...parts) {
  let size = 0
  for (const { length } of parts) size += length
  const all = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Whether two byte arrays are equal. The values are public, so the time may depend on them. */
const equal = (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index])

/** Lower-case hexadecimal digits. */
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The bytes of hexadecimal digits; undefined for another text. */
function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
}

/** Base64 (RFC 4648, section 4). */
function toBase64(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The bytes of a base64 text; undefined unless it is the only encoding of its bytes. */
function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

// Merkle trees of RFC 6962 and RFC 9162, section 2.1. Sizes are safe integers, so divisions replace bit shifts.

/** The text of a leaf, which the tree hashes: canonical JSON. */
const formatLeaf = ({ source, at, digest }) => canonical({ v: 1, source, at, digest })

/** The digest of an entry's fields. Once the salt is erased, it says nothing about them. */
const getDigest = (sha256, salt, fields) => sha256(concat(salt, utf8(canonical(fields))))

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The hash of an entry. */
const leafHash = (sha256, leaf) => sha256(concat(LEAF, leaf))

/** The hash of two subtrees. */
const nodeHash = (sha256, left, right) => sha256(concat(NODE, left, right))

/** The root of a tree that grows: it keeps the hashes of its complete subtrees, the largest first. */
class Frontier {
  #sha256
  subtrees = []

  constructor(sha256) {
    this.#sha256 = sha256
  }

  /** Appends a leaf, or a complete subtree of `size` leaves. A later one is never larger than an earlier incomplete one. */
  push(hash, size = 1) {
    const { subtrees } = this
    let added = { size, hash }
    for (let last = subtrees.at(-1); last?.size === added.size; last = subtrees.at(-1)) {
      subtrees.pop()
      added = { size: added.size * 2, hash: nodeHash(this.#sha256, last.hash, added.hash) }
    }
    subtrees.push(added)
  }

  /** The root hash; of an empty tree the hash of no bytes. */
  root() {
    const last = this.subtrees.at(-1)
    if (!last) return this.#sha256(new Uint8Array())
    return this.subtrees.slice(0, -1).reduceRight((right, { hash }) => nodeHash(this.#sha256, hash, right), last.hash)
  }
}

/** Climbs from a node to the root of its tree: `join` receives each sibling, and whether it is on the left. */
function climb(from, proof, join) {
  let { node, last } = from
  const rise = () => ([node, last] = [Math.floor(node / 2), Math.floor(last / 2)])
  for (const sibling of proof) {
    if (last === 0) return false
    const isLeft = node % 2 === 1 || node === last
    join(sibling, isLeft)
    while (isLeft && node % 2 === 0 && node !== 0) rise()
    rise()
  }
  return last === 0
}

/** Whether a proof shows that a leaf is in a tree (RFC 9162, section 2.1.3.2). */
function isIncluded(sha256, { hash, index, size, root, proof }) {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false
  let found = hash
  const isWhole = climb({ node: index, last: size - 1 }, proof, (sibling, isLeft) => {
    found = isLeft ? nodeHash(sha256, sibling, found) : nodeHash(sha256, found, sibling)
  })
  return isWhole && equal(found, root)
}

/** Whether a proof shows that one tree begins with another (RFC 9162, section 2.1.4.2). */
function isConsistent(sha256, { former, latter, proof }) {
  if (former.size < 1 || former.size > latter.size) return false
  if (former.size === latter.size) return proof.length === 0 && equal(former.root, latter.root)
  let [node, last] = [former.size - 1, latter.size - 1]
  while (node % 2 === 1) {
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  const rest = [...proof]
  // A complete former tree is a node of the latter one, so its root needs no place in the proof.
  const first = node === 0 ? former.root : rest.shift()
  if (!first) return false
  let [before, after] = [first, first]
  const isWhole = climb({ node, last }, rest, (hash, isLeft) => {
    if (isLeft) before = nodeHash(sha256, hash, before)
    after = isLeft ? nodeHash(sha256, hash, after) : nodeHash(sha256, after, hash)
  })
  return isWhole && equal(before, former.root) && equal(after, latter.root)
}

/** Signature algorithms by the byte that stands for them. ML-DSA-44 gets a row here once it signs. */
const ALGORITHMS = { Ed25519: 1 }

/** The name of an account's log. */
const getOrigin = (client) => `custodia/${client}`

/** The four bytes that name a key in signatures. */
const keyHash = (sha256, { name, algorithm, public_key }) =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(ALGORITHMS[algorithm]), public_key)).slice(0, 4)

/** A key as text: `<name>+<hash>+<algorithm and key>`. */
const formatKey = (sha256, key) =>
  `${key.name}+${toHex(keyHash(sha256, key))}+${toBase64(concat(Uint8Array.of(ALGORITHMS[key.algorithm]), key.public_key))}`

/** The key of a text; undefined when it is none, or its hash is another one. */
function parseKey(sha256, text) {
  const [, name = '', hash = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? []
  const bytes = fromBase64(encoded)
  if (name === '' || bytes?.[0] !== ALGORITHMS.Ed25519 || bytes.length !== 33) return undefined
  const key = { name, algorithm: 'Ed25519', public_key: bytes.slice(1) }
  return equal(keyHash(sha256, key), fromHex(hash) ?? new Uint8Array()) ? key : undefined
}

/** DER of a public Ed25519 key, before its 32 bytes. */
const ED25519_SPKI = fromHex('302a300506032b6570032100') ?? utf8('')

/** The keys of a text: that of a log, or public keys (PEM), which are for all logs and so for `origin`. */
function keysIn(sha256, text, origin) {
  const key = parseKey(sha256, text.trim())
  if (key) return [key]
  const pems = text.matchAll(/-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/g)
  return [...pems].flatMap(([, body = '']) => {
    const der = fromBase64(body.replaceAll(/\s|\\n/g, '')) ?? utf8('')
    const public_key = der.slice(ED25519_SPKI.length)
    const isKey = public_key.length === 32 && equal(der, concat(ED25519_SPKI, public_key))
    return isKey ? [{ name: origin, algorithm: 'Ed25519', public_key }] : []
  })
}

/** The text of a note that one of the keys signed; undefined otherwise. Signatures of unknown keys are skipped. */
function openNote(sha256, verify, note, keys) {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  const known = []
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name = '', encoded = ''] = /^— ([^+\s]+) (\S+)$/u.exec(line) ?? []
    const bytes = fromBase64(encoded)
    if (name === '' || !bytes || bytes.length <= 4) return undefined
    const [hash, signature] = [bytes.slice(0, 4), bytes.slice(4)]
    for (const key of keys) if (key.name === name && equal(keyHash(sha256, key), hash)) known.push({ key, signature })
  }
  // A signature of a known key that is not good spoils the note.
  const isGood = known.length > 0 && known.every(({ key, signature }) => verify(key.public_key, utf8(text), signature))
  return isGood ? text : undefined
}

/** A checkpoint as it was signed, from the text of a mail or a file with other line breaks. */
function checkpointIn(text) {
  const plain = text.replaceAll('\r\n', '\n')
  return `${plain.slice(Math.max(0, plain.search(/^custodia\/.*\n\d+\n/m))).trimEnd()}\n`
}

/** The checkpoint of a text; undefined for another text. Further lines are skipped. */
function parseCheckpoint(text) {
  const [, origin = '', digits = '', encoded = ''] = /^([^\n]+)\n(0|[1-9]\d*)\n([^\n]+)\n/.exec(text) ?? []
  const [size, root] = [Number(digits), fromBase64(encoded)]
  if (origin === '' || !Number.isSafeInteger(size) || root?.length !== 32) return undefined
  return { origin, size, root }
}

/** Files with a whole log, an entry and its proof, many of these, or the proof that a log continues a checkpoint. */
const LOG_FORMAT = 'custodia-sealed-log/1'
const PROOF_FORMAT = 'custodia-sealed-log-proof/1'
const PROOFS_FORMAT = 'custodia-sealed-log-proofs/1'
const CONSISTENCY_FORMAT = 'custodia-sealed-log-consistency/1'

/** A fault of the file. */
class Fault extends Error {
  constructor(code, values = {}) {
    super(code, { cause: { code, values } })
  }
}

/** Verifies a downloaded log or proof, given as its lines, against keys and checkpoints that the auditor trusts. */
async function verifyFile(crypto, lines, trusted) {
  try {
    return await new FileVerifier(crypto, trusted).verify(lines)
  } catch (error) {
    if (error instanceof Fault) return { isGood: false, fault: error.cause }
    if (error instanceof RangeError) return { isGood: false, fault: { code: 'unreadable', values: {} } }
    throw error
  }
}

class FileVerifier {
  #crypto
  #trusted

  constructor(crypto, trusted) {
    this.#crypto = crypto
    this.#trusted = trusted
    for (const text of trusted.keys)
      if (keysIn(crypto.sha256, text, '').length === 0) throw new Fault('not_a_key', { text: text.slice(0, 60) })
  }

  async verify(lines) {
    let head
    let log
    for await (const line of lines) {
      if (line === '') continue
      const value = parseLine(line)
      // Of two members with one name, programs and people read different ones.
      if (JSON.stringify(value) !== line.trim()) throw new Fault('respelled', { text: line.slice(0, 60) })
      if (log) log.add(value)
      else if (head) throw new Fault('proof_lines')
      else if (value.format === LOG_FORMAT) log = this.#begin(value)
      else if (value.format === PROOFS_FORMAT) log = this.#ofProof(value)
      else head = value
    }
    if (log) return log.end()
    if (head?.format === PROOF_FORMAT) {
      const proof = this.#ofProof(head)
      proof.add(head)
      return proof.end()
    }
    if (head?.format === CONSISTENCY_FORMAT) return this.#verifyConsistency(head)
    throw new Fault('unknown_format')
  }

  #open(note, name) {
    const fault = (code, origin = '') => new Fault(code, { checkpoint: name, origin })
    if (typeof note !== 'string') throw fault('checkpoint_missing')
    const { sha256, verify } = this.#crypto
    const [origin = ''] = note.split('\n')
    const keys = this.#trusted.keys.flatMap((key) => keysIn(sha256, key, origin))
    const text = openNote(sha256, verify, note, keys)
    if (text === undefined) throw fault('checkpoint_unsigned')
    const checkpoint = parseCheckpoint(text)
    if (!checkpoint) throw fault('checkpoint_invalid')
    // A server signs the logs of all its accounts with the same key.
    if (!keys.some(({ name }) => name === checkpoint.origin)) throw fault('checkpoint_of_other', checkpoint.origin)
    return checkpoint
  }

  #begin(head) {
    const newest = this.#open(head.checkpoint, 'newest')
    const others = getList(head.checkpoints).map((note) => this.#open(note, 'former'))
    const trusted = this.#ofAuditor(newest)
    for (const { size } of trusted) if (size > newest.size) throw new Fault('cut_off', { size, found: newest.size })
    return new LogVerifier(this.#crypto.sha256, newest, [...others, ...trusted])
  }

  #ofAuditor({ origin }) {
    return this.#trusted.checkpoints.map((note) => {
      const checkpoint = this.#open(checkpointIn(note), 'own')
      if (checkpoint.origin !== origin)
        throw new Fault('checkpoint_of_other', { checkpoint: 'own', origin: checkpoint.origin })
      return checkpoint
    })
  }

  /** Compares the checkpoints of a proof with the auditor's of the same sizes; returns how many have another size. */
  #compare(...own) {
    let skipped = 0
    for (const trusted of this.#ofAuditor(own[0])) {
      const same = own.find(({ size }) => size === trusted.size)
      if (!same) skipped++
      else if (!equal(trusted.root, same.root)) throw new Fault('forked', { size: same.size })
    }
    return skipped
  }

  #ofProof(head) {
    const checkpoint = this.#open(head.checkpoint, 'newest')
    return new ProofsVerifier(this.#crypto.sha256, { ...checkpoint, skipped: this.#compare(checkpoint) })
  }

  #verifyConsistency(head) {
    const latter = this.#open(head.checkpoint, 'newest')
    const former = this.#open(head.former, 'former')
    if (former.origin !== latter.origin) throw new Fault('different_logs')
    if (!isConsistent(this.#crypto.sha256, { former, latter, proof: getHashes(head.proof) }))
      throw new Fault('not_continued', { size: latter.size, former: former.size })
    const { origin, size } = latter
    const skipped = this.#compare(latter, former)
    return { isGood: true, origin, size, entries: 0, disclosed: 0, checkpoints: 2, skipped }
  }
}

/** Verifies that entries are in the log of a checkpoint, each by its proof. */
class ProofsVerifier {
  #sha256
  #checkpoint
  #entries = 0
  #disclosed = 0

  constructor(sha256, checkpoint) {
    this.#sha256 = sha256
    this.#checkpoint = checkpoint
  }

  add(value) {
    const { size, root } = this.#checkpoint
    const index = typeof value.position === 'number' ? value.position : -1
    const { hash, isDisclosed } = getEntry(this.#sha256, value, index)
    if (!isIncluded(this.#sha256, { hash, index, size, root, proof: getHashes(value.proof) }))
      throw new Fault('not_included', { position: index, size })
    this.#entries++
    if (isDisclosed) this.#disclosed++
  }

  end() {
    const { origin, size, skipped } = this.#checkpoint
    const counts = { entries: this.#entries, disclosed: this.#disclosed, checkpoints: 1 }
    return { isGood: true, origin, size, skipped, ...counts }
  }
}

/** Recomputes the tree entry by entry, and its root wherever there is a checkpoint. */
class LogVerifier {
  #sha256
  #newest
  #due
  #frontier
  #checkpoints
  #size = 0
  #agreed = 0
  #disclosed = 0

  constructor(sha256, newest, others) {
    this.#sha256 = sha256
    this.#newest = newest
    for (const { origin, size } of others) {
      if (origin !== newest.origin) throw new Fault('different_logs')
      if (size > newest.size) throw new Fault('checkpoint_newer', { size })
    }
    this.#due = [...others, newest].toSorted((a, b) => a.size - b.size)
    this.#checkpoints = this.#due.length
    this.#frontier = new Frontier(sha256)
    this.#compare()
  }

  add(value) {
    if (value.position !== this.#size)
      throw new Fault('entry_missing', { position: this.#size, found: String(value.position) })
    const { hash, isDisclosed } = getEntry(this.#sha256, value, this.#size)
    if (isDisclosed) this.#disclosed++
    this.#frontier.push(hash)
    this.#size++
    this.#compare()
  }

  #compare() {
    for (let next = this.#due[0]; next?.size === this.#size; next = this.#due[0]) {
      this.#due.shift()
      if (!equal(next.root, this.#frontier.root()))
        throw new Fault('other_root', { from: this.#agreed, to: this.#size - 1, size: this.#size })
      this.#agreed = this.#size
    }
  }

  end() {
    const { origin, size } = this.#newest
    if (this.#size !== size) throw new Fault('other_count', { found: this.#size, size })
    const counts = { entries: this.#size, disclosed: this.#disclosed, checkpoints: this.#checkpoints }
    return { isGood: true, origin, size, skipped: 0, ...counts }
  }
}

/** The leaf hash of an entry, after its disclosed fields were compared with its digest. */
function getEntry(sha256, value, position) {
  const { leaf, salt, fields } = value
  if (typeof leaf !== 'string') throw new Fault('entry_leaf', { position })
  const { source, at, digest } = parseLine(leaf)
  if (typeof source !== 'string' || typeof at !== 'number' || typeof digest !== 'string')
    throw new Fault('entry_leaf', { position })
  if (formatLeaf({ source, at, digest }) !== leaf) throw new Fault('entry_respelled', { position })
  const isDisclosed = salt !== undefined || fields !== undefined
  if (isDisclosed) {
    const bytes = typeof salt === 'string' ? fromHex(salt) : undefined
    if (!bytes || toHex(getDigest(sha256, bytes, fields)) !== digest) throw new Fault('entry_changed', { position })
  }
  const known = ['format', 'checkpoint', 'position', 'leaf', 'salt', 'fields', 'proof']
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other !== undefined) throw new Fault('entry_unsealed', { position, text: canonical(other) })
  return { hash: leafHash(sha256, utf8(leaf)), isDisclosed }
}

function parseLine(line) {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Falls through.
  }
  throw new Fault('not_custodia', { text: line.slice(0, 60) })
}

const getList = (value) => (Array.isArray(value) ? value : [])

function getHashes(value) {
  return getList(value).map((text) => {
    const hash = typeof text === 'string' ? fromHex(text) : undefined
    if (hash?.length !== 32) throw new Fault('proof_hashes')
    return hash
  })
}

/** Manifests of a bag (RFC 8493): of the recordings, and of the files that describe them. */
const MANIFESTS = ['manifest-sha256.txt', 'tagmanifest-sha256.txt']
/** Signatures of the second manifest: Ed25519, and CMS for other programs, with the certificate of its key. */
const SIGNATURES = { ed25519: `${MANIFESTS[1]}.sig`, cms: `${MANIFESTS[1]}.p7s` }
/** The element of `bag-info.txt` that names the key. */
const SIGNER_ELEMENT = 'Signing-Key'
/** Entries of the sealed log about the recordings, with their proofs. */
const PROOFS_FILE = 'evidence/sealed-entries.jsonl'
/** Proofs that the log continues checkpoints with a time stamp. */
const CONSISTENCY_FILE = /^evidence\/consistency-\d+\.json$/

/**
 * Compares every file with the manifest of its bag, and the manifest with its signature. Undefined without a manifest.
 * Several bags may lie side by side; a manifest inside of a bag counts as a file.
 */
async function verifyBags(crypto, files, trusted) {
  const found = new Map()
  const manifests = files.filter(({ path }) => /(?:^|\/)manifest-sha256\.txt$/.test(path))
  const folders = manifests.map(({ path }) => path.slice(0, -MANIFESTS[0].length))
  const outer = []
  for (const folder of folders.toSorted())
    if (outer.length === 0 || !folder.startsWith(`${outer.at(-1)}`)) outer.push(folder)
  for (const folder of outer) found.set(folder, new Map())
  if (found.size === 0) return undefined
  const result = []
  // In order, so that an archive of many bags takes no longer than another.
  let next = 0
  for (const file of files.toSorted((a, b) => Number(a.path > b.path) - Number(a.path < b.path))) {
    while (next < outer.length && `${outer[next]}` <= file.path) next++
    const folder = outer[next - 1] ?? ''
    const below = file.path.startsWith(folder) ? found.get(folder) : undefined
    const path = file.path.slice(below ? folder.length : 0)
    if (!below) result.push({ path, outcome: 'unlisted' })
    // Of two entries with one name, programs unpack different ones.
    else if (below.has(path)) result.push({ path, outcome: 'doubled' })
    else below.set(path, file)
  }
  const bags = []
  for (const [folder, below] of found) {
    for (const each of await verifyListed(crypto, below))
      result.push({ ...each, path: found.size > 1 ? `${folder}${each.path}` : each.path })
    const signature = await verifySignature(crypto, below, trusted)
    // The auditor's key must be the signer's, else the bag is not good anyway.
    const keys = signature.key === undefined ? trusted.keys : [...trusted.keys, signature.key]
    bags.push({ folder, signature, log: await verifyLogs(crypto, below, { ...trusted, keys }) })
  }
  return { files: result, bags }
}

async function verifyListed({ hasher }, below) {
  const listed = new Map()
  for (const name of MANIFESTS)
    for (const [path, digest] of listOfDigests(await getText(below.get(name)))) listed.set(path, digest)
  const references = await recordingsByFile(below)
  const result = []
  for (const [path, digest] of listed) {
    const file = below.get(path)
    const hash = hasher()
    await file?.read((piece) => hash.update(piece))
    const outcome = !file ? 'missing' : toHex(hash.digest()) === digest ? 'unchanged' : 'changed'
    const payload_reference = references.get(path)
    result.push({ path, outcome, ...(payload_reference !== undefined && { payload_reference }) })
  }
  const unlisted = [MANIFESTS[1], ...Object.values(SIGNATURES)]
  for (const path of below.keys())
    if (!listed.has(path) && !unlisted.includes(path)) result.push({ path, outcome: 'unlisted' })
  return result
}

/** The first bad verdict on files of the sealed log, else that on the entries. */
async function verifyLogs(crypto, below, trusted) {
  let log
  for (const [path, file] of below) {
    if (path !== PROOFS_FILE && !CONSISTENCY_FILE.test(path)) continue
    const verdict = await crypto.verifyLog((await getText(file)).split('\n'), trusted)
    if (!verdict.isGood) return { isGood: false, fault: { ...verdict.fault, path } }
    if (path === PROOFS_FILE) log = verdict
  }
  return log
}

/** Whether the key that the bag names signed its second manifest, and is a trusted one. */
async function verifySignature(crypto, below, { keys }) {
  const info = await getText(below.get('bag-info.txt'))
  const [, named = ''] = new RegExp(`^${SIGNER_ELEMENT}: (\\S+)$`, 'm').exec(info) ?? []
  const [signature, signed] = [below.get(SIGNATURES.ed25519), below.get(MANIFESTS[1])]
  const key = parseKey(crypto.sha256, named)
  if (!signature || !signed || !key) return { state: 'unsigned', key: undefined }
  const text = formatKey(crypto.sha256, key)
  const manifest = await getBytes(signed)
  const isGood = await crypto.verify(key.public_key, manifest, await getBytes(signature))
  if (!isGood) return { state: 'wrong', key: text }
  const cms = below.get(SIGNATURES.cms)
  if (!cms || !(await verifyCms(crypto, key.public_key, await getBytes(cms), manifest)))
    return { state: 'wrong_cms', key: text }
  const isTrusted = keys
    .flatMap((each) => keysIn(crypto.sha256, each, key.name))
    .some((known) => known.name === key.name && equal(known.public_key, key.public_key))
  return { state: isTrusted ? 'good' : 'untrusted', key: text }
}

const DESCRIPTORS = [12, 16, 20, 24]

/** What no entry of a ZIP names, from its start to `end`: some programs unpack it. */
function getGaps(spans, end) {
  let before = { from: 0, to: 0 }
  return [...spans.toSorted((a, b) => a.from - b.from), { from: end, to: end }].flatMap((span) => {
    const { to, hasDescriptor = false } = before
    before = span
    const isNext = hasDescriptor ? DESCRIPTORS.includes(span.from - to) : span.from === to
    return isNext ? [] : [`bytes ${to} to ${span.from}`]
  })
}

const constant = (digits) => fromHex(digits) ?? new Uint8Array()
const SIGNED_DATA = constant('06092a864886f70d010702')
const DATA = constant('06092a864886f70d010701')
const SHA256 = constant('300b0609608648016503040201')
const ECDSA_SHA256 = constant('300a06082a8648ce3d040302')
const VERSION_1 = constant('020101')

function getElements(bytes) {
  const elements = []
  for (let from = 0; bytes && from < bytes.length;) {
    let [start, length] = [from + 2, bytes[from + 1] ?? 0]
    if (length > 128) {
      const digits = bytes.subarray(start, (start += length - 128))
      length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
    }
    elements.push({ bytes: bytes.slice(from, start + length), body: bytes.slice(start, start + length) })
    from = start + length
  }
  return elements
}

/** An element of these parts. */
function der(tag, ...parts) {
  const body = concat(...parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return concat(Uint8Array.of(tag, ...size), body)
}

/** A number of a signature, in 32 bytes; and its only encoding. */
const number32 = (body) => concat(new Uint8Array(32), body).slice(-32)
function integer(number) {
  const digits = number.slice(number.findIndex((byte) => byte !== 0))
  return (digits[0] ?? 0) < 128 ? der(0x02, digits) : der(0x02, Uint8Array.of(0), digits)
}

/** Whether a CMS file (RFC 5652) is exactly a signature of the manifest with a key that the account's key certified. */
async function verifyCms(crypto, public_key, cms, manifest) {
  const [, content] = getElements(getElements(cms)[0]?.body)
  const [, , , certificates, signers] = getElements(getElements(content?.body)[0]?.body)
  const [certified, , bits] = getElements(getElements(certificates?.body)[0]?.body)
  const [, serial, algorithm, issuer, , , spki] = getElements(certified?.body)
  const signature = getElements(getElements(signers?.body)[0]?.body)[4]
  const [r, s] = getElements(getElements(signature?.body)[0]?.body)
  if (!certified || !bits || !serial || !algorithm || !issuer || !spki || !r || !s) return false
  const numbers = [number32(r.body), number32(s.body)]
  const certificate = der(0x30, certified.bytes, algorithm.bytes, der(0x03, bits.body))
  const signer = [VERSION_1, der(0x30, issuer.bytes, serial.bytes), SHA256, ECDSA_SHA256]
  const value = der(0x04, der(0x30, ...numbers.map(integer)))
  const parts = [der(0x31, SHA256), der(0x30, DATA), der(0xa0, certificate)]
  const data = der(0x30, VERSION_1, ...parts, der(0x31, der(0x30, ...signer, value)))
  // No byte is left that neither signature covers.
  if (!equal(cms, der(0x30, SIGNED_DATA, der(0xa0, data)))) return false
  return (
    bits.body[0] === 0 &&
    (await crypto.verify(public_key, certified.bytes, bits.body.slice(1))) &&
    (await crypto.verifyP256(spki.bytes, manifest, concat(...numbers)))
  )
}

const listOfDigests = (manifest) =>
  manifest.split('\n').flatMap((line) => {
    const [, digest, path] = /^([0-9a-f]{64})[ \t]+\*?(\S[^]*)$/i.exec(line.trimEnd()) ?? []
    return digest === undefined || path === undefined ? [] : [[path, digest.toLowerCase()]]
  })

/** References of recordings by their files: `contents.csv` quotes no cell. */
async function recordingsByFile(below) {
  const lines = (await getText(below.get('contents.csv'))).split('\r\n').map((line) => line.split(','))
  return new Map(lines.flatMap(([reference = '', , file]) => (file ? [[file, reference]] : [])))
}

async function getBytes(file) {
  const pieces = []
  await file.read((piece) => void pieces.push(Uint8Array.from(piece)))
  return concat(...pieces)
}

const getText = async (file) => (file ? new TextDecoder().decode(await getBytes(file)) : '')

/** Why a signed document is not good, in words for an auditor. */
const SIGNED_FAULTS = {
  altered: 'it does not contain what was signed',
  unknown_key: 'it is signed with another key than yours',
  other_account: 'your key is of another account',
}

/** Verifies a signed document with keys of a log or public keys (PEM); undefined for another text. */
async function verifySigned({ sha256, verify }, text, keys) {
  const file = readSigned(text)
  if (!file) return undefined
  const verdict = (fault) => ({ ...file, fault })
  const own = getOrigin(String(file.signed.client))
  const getId = (key) => toHex(sha256(concat(ED25519_SPKI, key))).slice(0, 32)
  const known = keys
    .flatMap((key) => keysIn(sha256, key, own))
    .filter(({ public_key }) => getId(public_key) === file.key_id)
  if (!known[0]) return verdict('unknown_key')
  const signature = fromBase64(file.signature ?? '') ?? utf8('')
  const isGood = signature.length === 64 && (await verify(known[0].public_key, utf8(file.body), signature))
  if (!isGood) return verdict('altered')
  // A server signs for all its accounts with the same key.
  return verdict(known.some(({ name }) => name === own) ? undefined : 'other_account')
}

/** The facts of a signed document: texts, counts, and times in epoch seconds. */
function getFacts({ format, signed }) {
  // A report has most of them in its subject.
  const session = Object(signed.session)
  const all = { ...Object(session.request), ...session, ...Object(signed.recertification), ...signed }
  return ['client', 'issued_at', ...SIGNED_FILES[format].facts].flatMap((name) => {
    const { [name]: found } = all
    const value = Array.isArray(found) ? found.length : found
    const isTime = typeof value === 'number' && /(?:_at|from|to|day)$/.test(name)
    return typeof value === 'string' || typeof value === 'number' ? [{ name, value, isTime }] : []
  })
}

const USAGE = `Verifies an export of Custodia, a signed document, a sealed log, or a proof of one of its entries, without a server.

  node custodia-verify.mjs <folder or file> --key=<key> [--checkpoint=<file> …]

  <folder>      of an export: unpacked, or its ZIP file
  --key         the key that must have signed, as the portal or the provider gave it to you, or a file with it
                or with public keys (PEM); repeat it for several
  --checkpoint  a checkpoint that you received earlier: the log must continue it
`

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()

const getKey = (...spki) => createPublicKey({ key: Buffer.concat(spki), format: 'der', type: 'spki' })
const verifyEd25519 = (public_key, message, signature) =>
  verify(null, message, getKey(ED25519_SPKI, public_key), signature)

const crypto = {
  sha256,
  hasher: () => createHash('sha256'),
  verify: verifyEd25519,
  verifyP256: (spki, message, signature) =>
    verify('sha256', message, { key: getKey(spki), dsaEncoding: 'ieee-p1363' }, signature),
  verifyLog: (lines, trusted) => verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted),
}

const filesBelow = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !fs.statSync(join(folder, path)).isDirectory())
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      async read(onPiece) {
        for await (const piece of fs.createReadStream(join(folder, path))) onPiece(piece)
      },
    }))

/** The files of a ZIP (PKWARE APPNOTE 6.3), which its directory at the end lists; undefined for another file. */
function filesOfZip(file) {
  const { size } = fs.statSync(file)
  const read = (at, length) => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)))
    const from = fs.openSync(file, 'r')
    fs.readSync(from, bytes, 0, bytes.length, at)
    fs.closeSync(from)
    return bytes
  }
  if (read(0, 2).toString('latin1') !== 'PK') return undefined
  const start = Math.max(0, size - 0x1_00_50)
  const tail = read(start, size)
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0) return []
  let [length, at, behind] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16), start + end]
  const [files, others] = [[], []]
  if (end >= 76 && tail.readUInt32LE(end - 20) === ZIP64_LOCATOR) {
    // The large directory, which some programs find by the locator, some just before it, and some not at all.
    const large = tail.subarray(end - 76)
    if (tail.readBigUInt64LE(end - 12) !== BigInt((behind -= 76))) others.push(unread(`bytes from ${behind}`))
    const [short, shortAt] = [length, at]
    ;[length, at] = [Number(large.readBigUInt64LE(40)), Number(large.readBigUInt64LE(48))]
    if (![FULL, length].includes(short) || ![FULL, at].includes(shortAt)) others.push(unread(`bytes from ${at}`))
  }
  const directory = read(at, length)
  const spans = [{ from: at, to: at + length }]
  for (let entry = 0; entry + 46 <= directory.length;) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((at) => directory.readUInt16LE(entry + at))
    const path = directory.toString('utf8', entry + 46, entry + 46 + name)
    const more = directory.subarray(entry + 46 + name, entry + 46 + name + extra)
    const [size = 0, packed = 0, offset = 0] = getNumbers(directory.subarray(entry), more, [24, 20, 42])
    const isDeflated = directory.readUInt16LE(entry + 10) !== 0
    const hasDescriptor = (directory.readUInt16LE(entry + 8) & 8) !== 0
    // Some programs go by the header before the content, or by a second name.
    const header = read(offset, 30)
    const from = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const local = read(offset + 30, from - offset - 30)
    const ownMore = local.subarray(header.readUInt16LE(26))
    const sizes = getNumbers(header, ownMore, [22, 18]).join()
    const isSame = header.subarray(6, 10).equals(directory.subarray(entry + 8, entry + 12))
    const hasSecond = [more, ownMore].some((each) => getField(each, SECOND_NAME) <= each.length)
    if (!isSame || hasSecond || (sizes !== `${size},${packed}` && !(hasDescriptor && sizes === '0,0')))
      others.push(unread(path))
    const ownName = local.toString('utf8', 0, header.readUInt16LE(26))
    if (ownName !== path) others.push(unread(ownName))
    spans.push({ from: offset, to: from + packed, hasDescriptor })
    if (!path.endsWith('/'))
      files.push({
        path,
        async read(onPiece) {
          if (packed === 0) return
          const bytes = fs.createReadStream(file, { start: from, end: from + packed - 1 })
          const inflate = createInflateRaw()
          for await (const piece of isDeflated ? bytes.pipe(inflate) : bytes) onPiece(piece)
          // Some programs unpack what follows a content.
          if (isDeflated && inflate.bytesWritten !== packed) onPiece(Buffer.from('more'))
        },
      })
    entry += 46 + name + extra + comment
  }
  return [...files, ...others, ...getGaps(spans, behind).map(unread)]
}

const unread = (path) => ({ path, read: async () => undefined })
const [ZIP64_LOCATOR, FULL, SECOND_NAME] = [0x07_06_4b_50, 0xff_ff_ff_ff, 0x70_75]

/** Where a part of an extra field begins; behind the end: it has none. */
function getField(extra, id) {
  let at = 4
  while (at <= extra.length && extra.readUInt16LE(at - 4) !== id) at += 4 + extra.readUInt16LE(at - 2)
  return at
}

/** Numbers of an entry; those of 4 GiB or more are in its extra field. */
function getNumbers(entry, extra, fields) {
  let at = getField(extra, 1)
  return fields.map((field) => {
    const number = entry.readUInt32LE(field)
    if (number < FULL) return number
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  })
}

const FILE_FAULTS = {
  changed: 'changed: its SHA-256 is not the one in the manifest',
  missing: 'missing: the manifest lists it',
  unlisted: 'added: no manifest lists it',
  doubled: 'there are two files of this name',
}

const SIGNATURE_FAULTS = {
  unsigned: 'tagmanifest-sha256.txt is not signed',
  untrusted: 'tagmanifest-sha256.txt is signed with another key than yours',
  wrong: 'tagmanifest-sha256.txt was changed after it was signed, or the signature was',
  wrong_cms: 'tagmanifest-sha256.txt.p7s is missing, was changed, or is of another signer',
}

async function verifyExport(files, trusted) {
  const found = await verifyBags(crypto, files, trusted)
  if (!found) return { isGood: false, report: ['no export: manifest-sha256.txt is missing'] }
  const faults = found.files.flatMap(({ path, outcome, payload_reference }) => {
    if (outcome === 'unchanged') return []
    const recording = payload_reference === undefined ? '' : ` (recording ${payload_reference})`
    return [`${path}${recording}: ${FILE_FAULTS[outcome]}`]
  })
  for (const { folder: name, signature, log } of found.bags) {
    if (signature.state !== 'good') faults.push(`${name}${SIGNATURE_FAULTS[signature.state]}`)
    if (log?.isGood === false) faults.push(`${name}${logFaultPhrase(log.fault, 'en-GB')}`)
  }
  if (faults.length > 0) return { isGood: false, report: faults }
  const report = found.bags.flatMap(({ signature, log }) => [
    `signed with ${signature.key}, as Ed25519 and CMS`,
    ...(log?.isGood
      ? [`${log.origin}: ${log.entries} entries proven in ${log.size} sealed ones`, ...notCompared(log.skipped)]
      : []),
  ])
  return { isGood: true, report: [`${found.files.length} files unchanged`, ...report] }
}

function reportOn(verdict) {
  const { fault, format, key_id } = verdict
  const { title } = SIGNED_FILES[format]
  if (fault) return { isGood: false, report: [`${title}: ${SIGNED_FAULTS[fault]} (key ${key_id})`] }
  const facts = getFacts(verdict).map(({ name, value, isTime }) => {
    return `${name.replaceAll('_', ' ')}: ${isTime ? new Date(Number(value) * 1000).toISOString() : JSON.stringify(value)}`
  })
  return { isGood: true, report: [title, `signed with key ${key_id}`, ...facts] }
}

async function verifyOne(file, trusted) {
  // Of larger files, only a log is read line by line.
  const text = fs.statSync(file).size < 0x10_00_00_00 ? fs.readFileSync(file, 'utf8') : ''
  const signed = await verifySigned(crypto, text, trusted.keys)
  if (signed) return reportOn(signed)
  const lines = createInterface({ input: fs.createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  const verdict = await verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted)
  if (!verdict.isGood) return { isGood: false, report: [logFaultPhrase(verdict.fault, 'en-GB')] }
  const { origin, size, entries, disclosed, checkpoints, skipped } = verdict
  const counts = `compared: entries ${entries}, of them readable ${disclosed}; checkpoints ${checkpoints}`
  return { isGood: true, report: [`${origin}, ${size} entries sealed`, counts, ...notCompared(skipped)] }
}

const notCompared = (skipped) =>
  skipped > 0 ? [`checkpoints of yours not compared, because the proof is of another size: ${skipped}`] : []

/** Texts of a file may have control characters, with which a terminal would rewrite the verdict. */
const escaped = (text) => text.replaceAll(/\p{C}/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`)

async function run() {
  const several = { type: 'string', multiple: true, default: [] }
  const options = { key: several, checkpoint: several }
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  const [file] = positionals
  if (file === undefined || values.key.length === 0) {
    process.stderr.write(USAGE)
    return 2
  }
  const trusted = {
    keys: values.key.map((key) => (fs.existsSync(key) ? fs.readFileSync(key, 'utf8') : key)),
    checkpoints: values.checkpoint.map((path) => fs.readFileSync(path, 'utf8')),
  }
  const files = fs.statSync(file).isDirectory() ? filesBelow(file) : filesOfZip(file)
  const { isGood, report } = await (files ? verifyExport(files, trusted) : verifyOne(file, trusted))
  const output = isGood ? process.stdout : process.stderr
  output.write(`${isGood ? 'GOOD' : 'NOT GOOD'}: ${report.map(escaped).join('\n  ')}\n`)
  return isGood ? 0 : 1
}

process.exitCode = await run().catch(({ message }) => {
  process.stderr.write(`NOT VERIFIED: ${escaped(message)}\n`)
  return 2
})
