import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCarriers } from './find-carriers.ts'

const seen = { first_seen: 0, last_seen: 1 }
const countries = [
  {
    country: 'BR',
    country_code: 55,
    country_name: 'Brazil',
    carriers: [
      { carrier_name: 'Vivo', carrier_code: '72406', clients: ['acme'], ...seen },
      { carrier_name: 'Tim', carrier_code: '72402', clients: ['globex'], ...seen },
    ],
  },
  { country: 'GB', country_code: 44, country_name: 'United Kingdom', carriers: [] },
]
const names = (search: string) =>
  findCarriers(countries, search).map(({ country_name, carriers }) => [
    country_name,
    ...carriers.map(({ carrier_name }) => carrier_name),
  ])

test('an empty search finds everything', () => {
  assert.deepEqual(names(' '), [['Brazil', 'Vivo', 'Tim'], ['United Kingdom']])
})

test('a country match lists its carriers, and a carrier match its country', () => {
  assert.deepEqual(names('braz'), [['Brazil', 'Vivo', 'Tim']])
  assert.deepEqual(names('724 06'), [])
  assert.deepEqual(names('72406'), [['Brazil', 'Vivo']])
  assert.deepEqual(names('GLOBEX'), [['Brazil', 'Tim']])
})
