import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type BlockedCallMeta,
  type CallMeta,
  type InterviewMeta,
  type MessageMeta,
  PayloadDocument,
  type PictureMeta,
} from '@custodia/contract'
import {
  interpretSearch,
  matchesTerm,
  nameWords,
  partyNumbers,
  payloadDocument,
  reverse,
  sameNumber,
  searchEntry,
  getSearchEntry,
  getTimeWarnings,
} from './document.ts'

const common = {
  payload_reference: '01J9Z3W6T5R8Q2N4M7K1H0G9F8',
  timezone: 'Europe/Dublin',
  timezone_offset: 60,
  local_time: '2026-09-21T14:13:20',
  payload_time: 1_790_000_000,
  payload_carrier_metadata: [
    { carrier_name: 'Eir', phone_number: '+353871234567', slot_index: 0 },
    { carrier_name: 'Three', phone_number: null, slot_index: 1 },
  ],
}
const party = (phone_number: string | null, contact_name?: string | null) => ({
  phone_number,
  contact_name,
  direction: 'O' as const,
  start_time: 1_790_000_000,
  duration: 61,
})

const callMeta: CallMeta = {
  ...common,
  payload_end_time: 1_790_000_065,
  size: 81_920,
  second_parties: [party('+442071234567', 'Fiona Doyle')],
}
const conferenceMeta: CallMeta = {
  ...callMeta,
  payload_full_duration: 63,
  second_parties: [party('+441'), party(null), party(' +442 ', ''), party('+441', 'Again'), party('+443')],
}
const blockedCallMeta: BlockedCallMeta = {
  ...callMeta,
  payload_end_time: 1_790_000_000,
  second_parties: [],
  reason_for_blocking: 'No recording possible',
}
const messageMeta: MessageMeta = {
  ...common,
  thread_id: 'thread-1',
  direction: 'I',
  length: 42,
  message_parties: [{ phone_number: 'ACME, Inc' }, { phone_number: '+353871234567', direction: 'CC' }],
}
const olderMessageMeta: MessageMeta = {
  ...common,
  thread_id: 'thread-1',
  direction: 'O',
  length: 0,
  second_party: '50123',
  saved_name_for_second_party: 'Bank',
}
const interviewMeta: InterviewMeta = {
  ...common,
  payload_end_time: 1_790_000_600,
  payload_duration: 540,
  payload_notes: 'Q3 review',
  interview_pause_times: [{ start_time: 1_790_000_100, duration: 60 }],
}
const photoMeta: PictureMeta = {
  ...common,
  payload_carrier_metadata: undefined,
  payload_notes: '😀'.repeat(200),
}
const metas = {
  callMeta,
  conferenceMeta,
  blockedCallMeta,
  messageMeta,
  olderMessageMeta,
  interviewMeta,
  photoMeta,
}

describe('the search entry of a payload', () => {
  it('has the words of party names and the digits of numbers', () => {
    assert.deepEqual(getSearchEntry(conferenceMeta), {
      words: ['again'],
      numbers: ['+353871234567', '+441', '+442', '+443'].map((number) => ({
        number,
        reversed: reverse(number.slice(1)),
      })),
      text: ' again#353871234567$#441$#442$#443$',
    })
    assert.equal(getSearchEntry(photoMeta).text, '')
  })
  it('has the words of a sender name but not its digits', () => {
    assert.equal(getSearchEntry(messageMeta).text, ' acme inc#353871234567$')
    assert.equal(getSearchEntry(olderMessageMeta).text, ' bank#353871234567$#50123$')
    assert.deepEqual(searchEntry([], ['Bank24', '+44 20-7123']).numbers, [
      { number: '+44 20-7123', reversed: '32170244' },
    ])
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
  const number = (endings: string[], wholes: string[] = [], word?: string, ...begun: string[]) => ({
    word,
    endings,
    wholes,
    beginnings: begun.slice(0, 1),
    ...(begun[1] !== undefined && { national: begun[1] }),
  })
  const word = (text: string) => ({ word: text, endings: [], wholes: [], beginnings: [] })
  for (const [typed, terms] of [
    [
      '+44 7700 900 123',
      [number(['447700900123'], ['7700900123', '07700900123'], undefined, '447700900123')],
    ],
    [
      '+44 (0) 7700 900123',
      [number(['447700900123'], ['7700900123', '07700900123'], undefined, '447700900123')],
    ],
    ['+44 77', [number(['4477'], [], undefined, '4477')]],
    [
      '0044-7700.900123',
      [number(['00447700900123', '447700900123'], ['7700900123', '07700900123'], undefined, '447700900123')],
    ],
    ['07700900123', [number(['07700900123', '7700900123'], [], '07700900123', '07700900123', '7700900123')]],
    ['(0)7700-900123', [number(['7700900123'])]],
    ['+353 87 123 4567', [number(['353871234567'], ['871234567', '0871234567'], undefined, '353871234567')]],
    [
      '(011) 98400-0123',
      [number(['011984000123', '11984000123'], [], undefined, '011984000123', '11984000123')],
    ],
    ['٠١٢٣', [number(['0123'], [], '0123', '0123', '123')]],
    ['900 123', [number(['900123'])]],
    ['0123', [number(['0123'], [], '0123', '0123', '123')]],
    ['123', [number([], ['123'], '123')]],
    ['Silva', [word('silva')]],
    ['Anne-Marie O’N', [word('anne'), word('marie'), word('on')]],
    ['Silva 0123', [number(['0123'], [], '0123', '0123', '123'), word('silva')]],
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
    const typed = [
      'sil',
      'ilva',
      '0123',
      '900 12',
      '123',
      '23',
      '07700 900123',
      '+44 77',
      '0770',
      '4477',
      '+770',
    ]
    assert.deepEqual(
      typed.map((each) => `${each}: ${has(each)}`),
      [
        'sil: true',
        'ilva: false',
        '0123: true',
        '900 12: false',
        '123: true',
        '23: false',
        '07700 900123: true',
        '+44 77: true',
        '0770: true',
        '4477: false',
        '+770: false',
      ],
    )
  })
})

describe('the payload document', () => {
  it('has the fields of a call', () => {
    const document = payloadDocument(metas.callMeta)
    assert.deepEqual(document, {
      duration: 65,
      direction: 'O',
      parties: [{ phone_number: '+442071234567', contact_name: 'Fiona Doyle', direction: 'O' }],
      party_count: 1,
      timezone: 'Europe/Dublin',
      timezone_offset: 60,
      local_time: '2026-09-21T14:13:20',
    })
    assert.ok(JSON.stringify(document).length < 300)
  })
  it('names three parties of a conference, counts all and uses the measured duration', () => {
    const { parties, party_count, duration } = payloadDocument(metas.conferenceMeta)
    assert.deepEqual(
      parties?.map((party) => party.phone_number),
      ['+441', null, ' +442 '],
    )
    assert.deepEqual([party_count, duration], [5, 63])
  })
  it('has direction and length of a message in both forms', () => {
    const { direction, length, thread_id, duration } = payloadDocument(metas.messageMeta)
    assert.deepEqual([direction, length, thread_id, duration], ['I', 42, 'thread-1', undefined])
    const older = payloadDocument(metas.olderMessageMeta)
    assert.deepEqual(older.parties, [{ phone_number: '50123', contact_name: 'Bank' }])
    assert.equal(older.length, 0)
  })
  it('excludes pauses from the duration of an interview', () => {
    assert.equal(payloadDocument(metas.interviewMeta).duration, 540)
  })
  it('holds no notes, reasons, positions, devices or carriers', () => {
    const shown = [
      'duration',
      'direction',
      'parties',
      'party_count',
      'timezone',
      'timezone_offset',
      'local_time',
      'time_warnings',
      'thread_id',
      'length',
    ]
    for (const meta of Object.values(metas))
      assert.deepEqual(
        Object.keys(payloadDocument(meta)).filter((field) => !shown.includes(field)),
        [],
      )
  })
  it('matches the contract schema and survives JSON', () => {
    for (const meta of Object.values(metas)) {
      const document = payloadDocument(meta)
      assert.deepEqual(PayloadDocument.parse(JSON.parse(JSON.stringify(document))), document)
    }
  })
})

describe('party numbers', () => {
  it('list the device’s own number first', () => {
    assert.deepEqual(partyNumbers(callMeta), {
      all: ['+353871234567', '+442071234567'],
      second_party: ['+442071234567'],
      all_numbers: '+353871234567,+442071234567',
      second_party_numbers: '+442071234567',
    })
  })
  it('are trimmed and unique, without withheld numbers', () => {
    assert.equal(partyNumbers(conferenceMeta).second_party_numbers, '+441,+442,+443')
  })
  it('treat a sender name with a comma as one entry', () => {
    const { second_party, all_numbers } = partyNumbers(messageMeta)
    assert.deepEqual(second_party, ['ACME, Inc', '+353871234567'])
    assert.equal(all_numbers, '+353871234567,ACME  Inc')
  })
  it('hold only the own number, or none, for recordings without a second party', () => {
    assert.equal(partyNumbers(interviewMeta).all_numbers, '+353871234567')
    assert.equal(partyNumbers(interviewMeta).second_party_numbers, '')
    assert.deepEqual(partyNumbers(photoMeta), {
      all: [],
      second_party: [],
      all_numbers: '',
      second_party_numbers: '',
    })
  })
})

// 2026-09-21T14:13:20Z
const DUBLIN = {
  payload_time: 1_790_000_000,
  timezone: 'Europe/Dublin',
  timezone_offset: 60,
  local_time: '2026-09-21T15:13:20',
}

describe('metadata warnings', () => {
  for (const [name, change, warnings] of [
    ['are absent for consistent metadata', {}, []],
    ['are absent for a device that missed the end of summer time', { timezone_offset: 0 }, []],
    ['report an unknown time zone', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['report a malformed time zone', { timezone: '🙂' }, ['timezone']],
    ['report an offset of another zone', { timezone_offset: -180 }, ['timezone']],
    ['report the 30th of February', { local_time: '2026-02-30T14:13:20' }, ['local_time']],
    ['report the 25th hour', { local_time: '2026-09-21T25:00:00' }, ['local_time']],
    ['report a local time more than a day before', { local_time: '2026-09-20T14:13:19' }, ['local_time']],
    ['are absent for a local time exactly a day before', { local_time: '2026-09-20T14:13:20' }, []],
    ['report a local time a year after', { local_time: '2027-09-21T14:13:20' }, ['local_time']],
    [
      'report time zone and local time together',
      { timezone: 'Nowhere', local_time: '0000-00-00T00:00:00' },
      ['timezone', 'local_time'],
    ],
  ] as const) {
    it(name, () => assert.deepEqual(getTimeWarnings({ ...DUBLIN, ...change }), warnings))
  }

  it('support zones west of Greenwich and at half hours', () => {
    const at = { payload_time: DUBLIN.payload_time, local_time: '2026-09-21T18:43:20' }
    assert.deepEqual(getTimeWarnings({ ...at, timezone: 'Asia/Kolkata', timezone_offset: 330 }), [])
    assert.deepEqual(getTimeWarnings({ ...at, timezone: 'America/Sao_Paulo', timezone_offset: -180 }), [])
    assert.deepEqual(getTimeWarnings({ ...at, timezone: 'UTC', timezone_offset: 0 }), [])
  })
})

/** One metadata of each form, as a phone would send it. */
