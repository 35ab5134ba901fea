import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLING_CODES, countryName, type PayloadMeta } from '@custodia/contract'
import fc from 'fast-check'
import { countriesOf } from './routes.ts'
import { callingCodeOf, carrierCodeOf, countryOfSim, sightingsIn } from './sightings.ts'

test('calling codes are read from international numbers', () => {
  const expected: Record<string, [number, string]> = {
    '+447700900101': [44, 'United Kingdom'],
    '+55 11 95555-0104': [55, 'Brazil'],
    '+1 (202) 555-0143': [1, 'North America'],
    '+79161234567': [7, 'Russia'],
    ' +49 30 901820': [49, 'Germany'],
    '+353871234567': [353, 'Ireland'],
    '+351912345678': [351, 'Portugal'],
    '+966501234567': [966, 'Saudi Arabia'],
  }
  for (const [number, [code, name]] of Object.entries(expected))
    assert.deepEqual(
      [callingCodeOf(number), countryName(CALLING_CODES[code] ?? '', 'en-GB')],
      [code, name],
      number,
    )
  // Unassigned codes, national form, short codes, words.
  for (const number of ['+999871234567', '07700900101', '+44', '4477', 'Bank', ''])
    assert.equal(callingCodeOf(number), undefined, number)
})

test('a calling code is undefined or belongs to a country, for any input', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\+\d{0,15}$/)), (number) => {
      const code = callingCodeOf(number)
      if (code === undefined) return
      assert.ok(Number.isInteger(code) && code >= 1 && code <= 999)
      assert.ok(number.trim().startsWith(`+${code}`) || /^\+\d{1,2}[ ().-]/.test(number.trim()))
      assert.notEqual(countryName(CALLING_CODES[code] ?? '', 'en-GB'), CALLING_CODES[code])
    }),
  )
})

test('a carrier has one code for all spellings of its name', () => {
  for (const name of ['Vivo Móvil', 'vivo  movil', 'VIVO-MÓVIL', ' Vivo.Movil '])
    assert.equal(carrierCodeOf(name), 'VIVO_MOVIL')
  assert.equal(carrierCodeOf('中国移动'), '中国移动')
  assert.equal(carrierCodeOf('O2 - UK'), 'O2_UK')
})

test('sightings contain the carriers of SIMs with a number, never later than now', () => {
  const metadata = {
    payload_time: 2000,
    payload_carrier_metadata: [
      { carrier_name: ' Example \u00a0 Mobile ', phone_number: '+447700900101', slot_index: 0 },
      { carrier_name: 'Without number', phone_number: null, slot_index: 1 },
      { carrier_name: 'Three digits', phone_number: '+353871234567', slot_index: 2 },
      { carrier_name: null, phone_number: '+447700900102', slot_index: 3 },
      { carrier_name: '  ', phone_number: '+447700900103', slot_index: 4 },
    ],
  } as unknown as PayloadMeta
  const seen = (at: number) => [
    { country: 'GB', carrier_name: 'Example Mobile', at },
    { country: 'IE', carrier_name: 'Three digits', at },
  ]
  assert.deepEqual(sightingsIn(metadata, 3000), seen(2000))
  assert.deepEqual(sightingsIn(metadata, 1000), seen(1000))
})

test('the country of a SIM is that of its number, of countries with one calling code the one that the card names', () => {
  const cases: [number: string, card: string, country: string | undefined][] = [
    ['+351912345678', '', 'PT'],
    ['', 'pt', 'PT'],
    ['', 'aq', 'AQ'],
    ['+16135550143', 'ca', 'CA'],
    ['+16135550143', '', '003'],
    ['+447700900101', 'br', 'GB'],
    ['', '', undefined],
  ]
  for (const [number, card, country] of cases)
    assert.equal(countryOfSim(number, card), country, `${number} ${card}`)
})

test('spellings and clients of one carrier are merged under the newest spelling', () => {
  const seen = (
    client: string,
    country: string,
    carrier_name: string,
    first_seen: number,
    last_seen: number,
  ) => ({
    client,
    country,
    carrier_name,
    first_seen,
    last_seen,
  })
  const countries = countriesOf([
    seen('globex', 'BR', 'VIVO', 5, 9),
    seen('acme', 'GB', 'Example', 1, 8),
    seen('acme', 'BR', 'Vivo', 2, 7),
    seen('acme', 'BR', 'Claro', 3, 3),
  ])
  assert.deepEqual(countries, [
    {
      country: 'BR',
      country_code: 55,
      country_name: 'Brazil',
      carriers: [
        { carrier_name: 'Claro', carrier_code: 'CLARO', first_seen: 3, last_seen: 3, clients: ['acme'] },
        {
          carrier_name: 'VIVO',
          carrier_code: 'VIVO',
          first_seen: 2,
          last_seen: 9,
          clients: ['acme', 'globex'],
        },
      ],
    },
    {
      country: 'GB',
      country_code: 44,
      country_name: 'United Kingdom',
      carriers: [
        { carrier_name: 'Example', carrier_code: 'EXAMPLE', first_seen: 1, last_seen: 8, clients: ['acme'] },
      ],
    },
  ])
})
