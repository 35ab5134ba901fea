import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeFinder } from './nearest.ts'
import { getName, readPlaces } from './places.ts'

// Places as GeoNames has them.
const PLACES = readPlaces({
  names: [
    'Porto Alegre',
    'São Paulo',
    'Guarulhos',
    'Jardim Paulista',
    'Labasa',
    'London',
    'Peckham',
    'West End',
  ],
  portuguese: { 5: 'Londres' },
  longitudes: [-51230, -46636, -46533, -46663, 179_990, -126, -69, -130],
  latitudes: [-30_033, -23_548, -23_463, -23_567, -16_430, 51_509, 51_474, 51_514],
  populations: [1372, 10_021, 1170, 84, 28, 7557, 72, 11],
  countries: [
    ['BR', 4],
    ['FJ', 1],
    ['GB', 3],
  ],
})

test('a position has the name of its nearest place and city, in either language', () => {
  const find = placeFinder(PLACES)
  const named = (latitude: number, longitude: number, locale: 'en-GB' | 'pt-BR' = 'en-GB') => {
    const found = find(latitude, longitude)
    return found && [found.place, found.city].map((i) => (i === undefined ? i : getName(PLACES, i, locale)))
  }
  assert.deepEqual(named(51.475, -0.07), ['Peckham', 'London'])
  assert.deepEqual(named(51.475, -0.07, 'pt-BR'), ['Peckham', 'Londres'])
  // The middle of a large city.
  assert.deepEqual(named(51.508, -0.126), ['West End', 'London'])
  assert.deepEqual(named(-23.5614, -46.6558), ['Jardim Paulista', 'São Paulo'])
  assert.deepEqual(named(-23.454, -46.533), ['Guarulhos', 'São Paulo'])
  assert.deepEqual(named(-30.03, -51.2), ['Porto Alegre', undefined])
  // The open sea, and the other side of the date line.
  assert.equal(find(0, -30), undefined)
  assert.deepEqual(named(-16.43, -179.95), ['Labasa', undefined])
  assert.ok((find(-16.43, -179.95)?.metres ?? Infinity) < 8000)
})
