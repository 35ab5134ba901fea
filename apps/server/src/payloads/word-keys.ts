import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { unwrapSecret, wrapSecret } from '@custodia/envelope'
import { PREFIX_LETTERS } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { wordKeyContext } from '../ports/keys/contexts.ts'

/** The places of words; each has its own tokens. */
export type WordField = 'text' | 'note' | 'comment' | 'file'

/** A client's word functions: 64 bits as decimal text, for PostgreSQL's bigint. */
export interface WordKeys {
  /** The token of a word in a field and a month (`periodOf`); each month has another one. */
  token(field: WordField, period: number, word: string): string
  /** The bucket of the vocabulary for words with the same first letters. */
  bucketOf(word: string): string
  /** The tag of a word in the vocabulary, which does not reveal its tokens. */
  tagOf(word: string): string
  sealWord(word: string): Buffer
  openWord(sealed: Buffer): string
}

/** Months since January 2000, in UTC, of a time in epoch seconds. */
export function periodOf(seconds: number): number {
  const at = new Date(seconds * 1000)
  return (at.getUTCFullYear() - 2000) * 12 + at.getUTCMonth()
}

/** Start of a month in epoch seconds. */
export const startOfPeriod = (period: number): number => Date.UTC(2000, period) / 1000

/** Cache of opened keys by their wrapped form, which changes with each new key. */
const opened = new Map<string, Promise<WordKeys>>()
/** Clients whose keys are cached. */
const KEPT = 200

/** The keys of a client's index of words. Throws CiphertextRefused, KeyUnknown or KeysUnavailable. */
export function wordKeys(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  wrapped_key: Buffer,
): Promise<WordKeys> {
  const name = wrapped_key.toString('base64')
  const known = opened.get(name)
  if (known) return known
  const made = keys.unwrap(wrapped_key, wordKeyContext(client)).then(keysOf)
  made.catch(() => opened.delete(name))
  const [oldest] = opened.keys()
  if (oldest !== undefined && opened.size >= KEPT) opened.delete(oldest)
  opened.set(name, made)
  return made
}

/** Takes the key and leaves the field empty. */
function keysOf(key: Buffer): WordKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `search/1/${purpose}`, 32))
  const object = (purpose: string) => createSecretKey(derive(purpose))
  const fields: Record<WordField, KeyObject> = {
    text: object('text'),
    note: object('note'),
    comment: object('comment'),
    file: object('file'),
  }
  const [buckets, tags, vocabulary] = [object('bucket'), object('tag'), derive('vocabulary')]
  key.fill(0)
  return {
    token: (field, period, word) => firstBits(fields[field], `${period}\0${word}`),
    bucketOf: (word) => firstBits(buckets, [...word].slice(0, PREFIX_LETTERS).join('')),
    tagOf: (word) => firstBits(tags, word),
    sealWord: (word) => wrapSecret(vocabulary, Buffer.from(word), AAD),
    openWord: (sealed) => unwrapSecret(vocabulary, sealed, AAD).toString(),
  }
}

const AAD = Buffer.from('custodia vocabulary')
const firstBits = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest().readBigInt64BE(0).toString()
