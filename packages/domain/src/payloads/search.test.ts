import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conferenceMeta, messageMeta, olderMessageMeta, photoMeta } from './metas.test-support.ts'
import {
  interpretSearch,
  matchesTerm,
  nameWords,
  reverse,
  sameNumber,
  searchEntry,
  searchEntryOf,
} from './search.ts'

describe('the search entry of a payload', () => {
  it('has the words of party names and the digits of numbers', () => {
    assert.deepEqual(searchEntryOf(conferenceMeta), {
      words: ['again'],
      numbers: ['+353871234567', '+441', '+442', '+443'].map((number) => ({
        number,
        reversed: reverse(number.slice(1)),
      })),
      text: ' again#353871234567$#441$#442$#443$',
    })
    assert.equal(searchEntryOf(photoMeta).text, '')
  })
  it('has the words of a sender name but not its digits', () => {
    assert.equal(searchEntryOf(messageMeta).text, ' acme inc#353871234567$')
    assert.equal(searchEntryOf(olderMessageMeta).text, ' bank#353871234567$#50123$')
    assert.deepEqual(searchEntry([], ['Bank24', '+44 20-7123']).numbers, [
      { number: '+44 20-7123', reversed: '32170244' },
    ])
  })
  it('has at most 2,000 words of at most 64 characters', () => {
    const parties = Array.from({ length: 1000 }, (_, i) => ({
      contact_name: `${'x'.repeat(250)} ${i} a${i} b${i}`,
    }))
    const { words } = searchEntry(parties, [])
    assert.equal(words.length, 2000)
    assert.equal(words[0], 'x'.repeat(64))
  })
})

describe('words of a name', () => {
  for (const [name, words] of [
    ['João  da SILVA', ['joao', 'da', 'silva']],
    ['Ação', ['acao']],
    ['Straße', ['strasse']],
    ['O’Neill', ['o', 'neill', 'oneill']],
    ["d'Ávila-Sá", ['d', 'avila', 'sa', 'davilasa']],
    ['ΟΔΟΣ', ['οδοσ']],
    ['İstanbul', ['istanbul']],
    ['ﬁrst １２', ['first', '12']],
    ['\u202bمريم\u202c', ['مريم']],
    ['नेहा', ['नेहा']],
    ['%_*\\', []],
    ['', []],
  ] as const) {
    it(name, () => assert.deepEqual(nameWords(name), words))
  }
})

describe('a search for the same number', () => {
  for (const number of ['+44 7700 900123', '07700900123', '0044 7700 900123', '98400-0123 5'])
    it(`finds ${number} in any spelling`, () => assert.deepEqual(sameNumber(number), { search: number }))
  for (const number of ['900123', '0000900123', '+44 123', 'VODAFONE', 'A, B', '0800 FLOWERS 1'])
    it(`finds ${number} only as written`, () => assert.deepEqual(sameNumber(number), { number }))
})

describe('the interpretation of a search text', () => {
  const number = (endings: string[], wholes: string[] = [], word?: string) => ({ word, endings, wholes })
  const word = (text: string) => ({ word: text, endings: [], wholes: [] })
  for (const [typed, terms] of [
    ['+44 7700 900 123', [number(['447700900123'], ['7700900123', '07700900123'])]],
    ['+44 (0) 7700 900123', [number(['447700900123'], ['7700900123', '07700900123'])]],
    ['0044-7700.900123', [number(['00447700900123', '447700900123'], ['7700900123', '07700900123'])]],
    ['07700900123', [number(['07700900123', '7700900123'], [], '07700900123')]],
    ['(0)7700-900123', [number(['7700900123'])]],
    ['+353 87 123 4567', [number(['353871234567'], ['871234567', '0871234567'])]],
    ['(011) 98400-0123', [number(['011984000123', '11984000123'])]],
    ['٠١٢٣', [number(['0123'], [], '0123')]],
    ['900 123', [number(['900123'])]],
    ['0123', [number(['0123'], [], '0123')]],
    ['123', [number([], ['123'], '123')]],
    ['Silva', [word('silva')]],
    ['Anne-Marie O’N', [word('anne'), word('marie'), word('on')]],
    ['Silva 0123', [number(['0123'], [], '0123'), word('silva')]],
    ['a a A', [word('a')]],
    ['%', []],
    ['\u200f ☎', []],
  ] as const) {
    it(JSON.stringify(typed), () => assert.deepEqual(interpretSearch(typed).terms, terms))
  }
  it('accepts a reference in any letter case', () => {
    const reference = '01J9Z3W6T5R8Q2N4M7K1H0G9F8'
    assert.deepEqual(interpretSearch(` ${reference} `).references, [reference])
    assert.deepEqual(interpretSearch(reference.toLowerCase()).references, [
      reference.toLowerCase(),
      reference,
    ])
    assert.deepEqual(interpretSearch(reference.slice(1)).references, [])
  })
  it('uses the first eight words only', () => {
    assert.equal(interpretSearch('a b c d e f g h i j').terms.length, 8)
  })
  it('matches the search line of a payload', () => {
    const { text } = searchEntry([{ contact_name: 'Maria Silva' }], ['+447700900123', '123'])
    const has = (typed: string) => interpretSearch(typed).terms.every((term) => matchesTerm(text, term))
    assert.deepEqual(['sil', 'ilva', '0123', '900 12', '123', '23', '07700 900123'].map(has), [
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ])
  })
})
