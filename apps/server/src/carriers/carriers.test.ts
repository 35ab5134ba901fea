import assert from 'node:assert/strict'
import { after, describe, it, test } from 'node:test'
import { CALLING_CODES, countryName, DAY, type PayloadMeta } from '@custodia/contract'
import { openPerson } from '../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { testServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'
import { getCountries } from './routes.ts'
import { getCallingCode, getCarrierCode, countryOfSim, noteSightings, sightingsIn } from './store.ts'

const server = await testServer({}, { hasWorker: true })
after(() => server.close())
const acme = await server.getId('acme')

describe('countries and carriers', () => {
  const stored = async () => {
    const rows = await server.sql(
      `select client, country, carrier_name, first_seen, last_seen, s.xmin::text as version
       from carrier_sightings s join clients using (client_id) order by 1, 2, 3`,
    )
    return rows as {
      client: string
      carrier_name: string
      first_seen: number
      last_seen: number
      version: string
    }[]
  }
  const metadata = (at: number, carrier_name = 'Example Mobile') =>
    ({
      payload_time: at,
      payload_carrier_metadata: [{ carrier_name, phone_number: '+5511955550104', slot_index: 0 }],
    }) as unknown as PayloadMeta

  it('are collected from payloads of several clients, with and without data', async () => {
    const { dataDir } = server.ctx.config
    const through = (carrier_name: string, phone_number: string) => ({
      payload_carrier_metadata: [{ carrier_name, phone_number, slot_index: 0 }],
    })
    for (const [name, carrier] of [
      ['Harriet', 'Example Mobile'],
      ['Tom', 'EXAMPLE MOBILE'],
    ] as const) {
      const phone = await demoPhone(dataDir, server.url, name)
      await phone.authenticate()
      await phone.record(
        getRecording('SMS', getMessage('hello'), through(carrier, '+447700900101')).recording,
      )
      await phone.record(
        getRecording('BlockedCall', undefined, through('Outra Rede', '+5511955550104')).recording,
      )
      await phone.sync()
    }
    await until('four sightings', stored, (rows) => rows.length === 4)
    const erin = await openPerson(server, 'admin', 'erin')
    const { data } = await erin.api.listCountries({})
    assert.deepEqual(
      data.map(({ country_name, carriers }) => [
        country_name,
        carriers.map(({ carrier_code, clients }) => [carrier_code, clients]),
      ]),
      [
        ['Brazil', [['OUTRA_REDE', ['acme', 'globex']]]],
        ['United Kingdom', [['EXAMPLE_MOBILE', ['acme', 'globex']]]],
      ],
    )
  })

  it('are written once per recording day and keep the oldest and newest date', async () => {
    const { ctx } = server
    const now = Math.floor(ctx.now() / DAY) * DAY
    const own = async () => {
      const row = (await stored()).find(({ carrier_name }) => carrier_name === 'Day by day')
      assert.ok(row)
      return row
    }
    await noteSightings(ctx, acme, metadata(now - 10 * DAY, 'Day by day'))
    const first = await own()
    await noteSightings(ctx, acme, metadata(now - 10 * DAY + 500, 'Day by day'))
    assert.deepEqual(await own(), first, 'the same day tells nothing new')
    await noteSightings(ctx, acme, metadata(now - 20 * DAY, 'Day by day'))
    await noteSightings(ctx, acme, metadata(now - 5 * DAY, 'Day by day'))
    const { first_seen, last_seen, version } = await own()
    assert.deepEqual([first_seen, last_seen], [now - 20 * DAY, now - 5 * DAY])
    await noteSightings(ctx, acme, metadata(now - 7 * DAY, 'Day by day'))
    assert.equal((await own()).version, version)
  })

  it('stop at 1,000 carrier names per client, and known names are still updated', async () => {
    const { ctx } = server
    await ctx.db.owner.query(
      `insert into carrier_sightings (client_id, country, carrier_name, first_seen, last_seen) select $1, 'BR', 'made up ' || n, 1, 1 from generate_series(1, 1000) n`,
      [acme],
    )
    const at = ctx.now()
    await noteSightings(ctx, acme, metadata(at, 'One more'))
    await noteSightings(ctx, acme, metadata(at, 'made up 7'))
    const rows = await stored()
    assert.ok(!rows.some(({ carrier_name }) => carrier_name === 'One more'))
    assert.equal(rows.find(({ carrier_name }) => carrier_name === 'made up 7')?.last_seen, at)
  })
})

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
      [getCallingCode(number), countryName(CALLING_CODES[code] ?? '', 'en-GB')],
      [code, name],
      number,
    )
  // Unassigned codes, national form, short codes, words.
  for (const number of ['+999871234567', '07700900101', '+44', '4477', 'Bank', ''])
    assert.equal(getCallingCode(number), undefined, number)
})

test('a carrier has one code for all spellings of its name', () => {
  for (const name of ['Vivo Móvil', 'vivo  movil', 'VIVO-MÓVIL', ' Vivo.Movil '])
    assert.equal(getCarrierCode(name), 'VIVO_MOVIL')
  assert.equal(getCarrierCode('中国移动'), '中国移动')
  assert.equal(getCarrierCode('O2 - UK'), 'O2_UK')
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
  ) => ({ client, country, carrier_name, first_seen, last_seen })
  const countries = getCountries([
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
