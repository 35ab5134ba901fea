import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  hasPhrases,
  indexWords,
  interpretWords,
  marksIn,
  piecesOf,
  type SearchWords,
} from './search-words.ts'

const meant = (typed: string): SearchWords => {
  const search = interpretWords(typed)
  assert.ok(!('fault' in search), typed)
  return search
}
/** Whether the index of the text matches the search. */
const finds = (text: string, typed: string): boolean => {
  const { words, prefix, phrases } = meant(typed)
  const all = indexWords([text])
  return (
    words.every((word) => all.includes(word)) &&
    (prefix === undefined || all.some((word) => word.startsWith(prefix))) &&
    hasPhrases([text], phrases)
  )
}

describe('text search words', () => {
  it('are found in any case, accent and form', () => {
    for (const [text, typed] of [
      ['Ação na Straße', 'ACAO strasse'],
      ['ﬁnal ＡＢＣ', 'final abc'],
      ['don’t re-send O’Neill', 'neill re send'],
      ['mail to jo.doe@bank.example', 'doe bank example'],
      ['call +44 (0)7700 900-123 now', '07700900123'],
      ['call 07700 900123', '+44 7700 900 123'],
      ['👍🏽 agreed ❤️ 🇧🇷', '👍 ❤ 🇧🇷'],
      ['会議は東京都庁です', '東京都'],
    ] as const)
      assert.ok(finds(text, typed), `${typed} in ${text}`)
    assert.ok(!finds('会議は京都です', '東京'))
    assert.ok(!finds('call +44 7700 900123', '07700900124'))
  })

  it('exclude common words and stay within the index limits', () => {
    assert.deepEqual(indexWords(['The deal is on, não é?']), ['deal'])
    const many = Array.from({ length: 5000 }, (_, i) => `word${i}`).join(' ')
    assert.equal(indexWords([many]).length, 2000)
    assert.deepEqual(indexWords(['x'.repeat(100)]), ['x'.repeat(64)])
  })

  it('match as a phrase in quotes, including common words', () => {
    assert.ok(finds('This is not in writing.', '"not in writing"'))
    assert.ok(!finds('In writing? Not this.', '“not in writing”'))
    assert.deepEqual(piecesOf('Not, in — WRITING'), ['not', 'in', 'writing'])
  })

  it('are marked at their positions', () => {
    const shown = (text: string, typed: string) =>
      marksIn(text, meant(typed)).map(({ start, end }) => text.slice(start, end))
    assert.deepEqual(shown('Café, ação e CAFÉS', 'cafe acao'), ['Café', 'ação'])
    assert.deepEqual(shown('Café, ação e CAFÉS', 'caf*'), ['Café', 'CAFÉS'])
    assert.deepEqual(shown('ring +44 7700 900-123!', '07700900123'), ['44 7700 900-123'])
    assert.deepEqual(shown('会議は東京都庁', '東京都'), ['東京都'])
    assert.deepEqual(shown('nothing here', 'cafe'), [])
  })
})
