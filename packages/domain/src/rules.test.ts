import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { commandStatesBefore, OPEN_COMMAND_STATES } from './commands/states.ts'
import { getDue } from './data-requests/due.ts'
import { licenseLevel } from './licenses/level.ts'
import { distanceBetween } from './payloads/distance.ts'
import {
  hasPhrases,
  indexWords,
  interpretWords,
  marksIn,
  getPieces,
  type SearchWords,
  snippetIn,
} from './words/search-words.ts'

test('distances between positions follow the earth’s surface', () => {
  const london = { latitude: 51.5074, longitude: -0.1278 }
  assert.equal(distanceBetween(london, london), 0)
  const paris = distanceBetween(london, { latitude: 48.8566, longitude: 2.3522 })
  assert.ok(Math.abs(paris - 343_500) < 1500, String(paris))
  // Over the date line, and to the other side of the earth.
  const near = distanceBetween({ latitude: 0, longitude: 179.999 }, { latitude: 0, longitude: -179.999 })
  assert.ok(Math.abs(near - 222) < 2, String(near))
  const far = distanceBetween({ latitude: 90, longitude: 0 }, { latitude: -90, longitude: 0 })
  assert.ok(Math.abs(far - Math.PI * 6_371_009) < 1, String(far))
})

test('licences are nearly used up from 90% on and used up from the limit on', () => {
  const expected = [
    [0, 0, null],
    [1, 0, 100],
    [0, 10, null],
    [8, 10, null],
    [9, 10, 90],
    [10, 10, 100],
    [11, 10, 100],
    [1, 1, 100],
    [89_999, 100_000, null],
    [90_000, 100_000, 90],
    [99_999, 100_000, 90],
  ] as const
  for (const [used, limit, level] of expected)
    assert.equal(licenseLevel(used, limit), level, `${used} of ${limit}`)
})

const at = (text: string) => Date.parse(text) / 1000
const readState = (seconds: number | null) => seconds && new Date(seconds * 1000).toISOString().slice(0, 19)

it('a GDPR request is due in one month, and in three months at the latest', () => {
  const { due_at, latest } = getDue('GDPR', at('2026-03-15T09:30:01Z'))
  assert.equal(readState(due_at), '2026-04-15T09:30:01')
  assert.equal(readState(latest), '2026-06-15T09:30:01')
})

it('a due date falls on the last day of a shorter month', () => {
  assert.equal(readState(getDue('GDPR', at('2027-01-31T23:59:59Z')).due_at), '2027-02-28T23:59:59')
  assert.equal(readState(getDue('GDPR', at('2028-01-31T00:00:00Z')).due_at), '2028-02-29T00:00:00')
  assert.equal(readState(getDue('GDPR', at('2026-11-30T12:00:00Z')).latest), '2027-02-28T12:00:00')
  assert.equal(readState(getDue('GDPR', at('2026-12-31T12:00:00Z')).due_at), '2027-01-31T12:00:00')
})

it('an LGPD request is due after fifteen days without extension', () => {
  const { due_at, latest } = getDue('LGPD', at('2026-02-20T10:00:00Z'))
  assert.equal(readState(due_at), '2026-03-07T10:00:00')
  assert.equal(latest, due_at)
})

it('a MiFID II request has no due date', () => {
  assert.deepEqual(getDue('MiFID II', at('2026-02-20T10:00:00Z')), { due_at: null, latest: null })
})

test('a command may end without acknowledgement, and an ended command stays final', () => {
  assert.deepEqual(commandStatesBefore('Sent'), [])
  assert.deepEqual(commandStatesBefore('Acknowledged'), ['Sent'])
  assert.deepEqual(commandStatesBefore('Completed'), ['Sent', 'Acknowledged'])
  assert.deepEqual(commandStatesBefore('Failed'), ['Sent', 'Acknowledged'])
  assert.deepEqual(OPEN_COMMAND_STATES, ['Sent', 'Acknowledged'])
})

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
    assert.deepEqual(getPieces('Not, in — WRITING'), ['not', 'in', 'writing'])
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

it('a snippet is the part of a text with the most search words, on one line and cut between words', () => {
  const search = interpretWords('insider "sell now"') as SearchWords
  const far = 'The weather was fine. '.repeat(20)
  const text = `An insider called.\n${far}The insider said:\n sell now, before noon. ${far}`
  const snippet = snippetIn(text, search) ?? ''
  assert.match(snippet, /^… .*The insider said: sell now, before noon\. .* …$/)
  assert.ok(snippet.length <= 170 && !snippet.includes('\n'), snippet)
  assert.equal(snippetIn('Insider!', search), 'Insider!')
  assert.equal(snippetIn('no such word', search), undefined)
  // Scripts without spaces and characters of two units are never cut in half.
  const cut = snippetIn(`${'😀'.repeat(300)}insider${'😀'.repeat(300)}`, search) ?? ''
  assert.equal(cut.isWellFormed(), true)
})
