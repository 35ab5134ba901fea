import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Contacts, SERVICES, getService, SUGGESTIONS } from '@custodia/contract'
import { FIXTURE_NUMBERS, FIXTURE_PEOPLE, FIXTURE_START } from '../../testing/list-fixture.ts'
import { byService, isListed, type RandomAccount, sorted } from './account.test-support.ts'

/** Lists, searches and reads of payloads. */
export function payloadLists(account: RandomAccount): void {
  it('applies to payload lists, page by page, and to their totals', async () => {
    let seen = 0
    for (const person of account.people) {
      for (const service of SERVICES) {
        const shown = await account.rows(person, `/client/v1/api/payloads?client=random&service=${service}`)
        const expected = account
          .visible(person, 'payloads:list')
          .filter(
            ({ payload_type, payload_state }) =>
              getService(payload_type) === service &&
              payload_state !== 'Deleted' &&
              payload_state !== 'Destroyed',
          )
          .map((payload) => payload.payload_reference)
        if (shown === undefined) {
          assert.equal(account.visible(person, 'payloads:list').length, 0, `${person.name} is refused a list`)
          continue
        }
        assert.deepEqual(
          sorted(shown.map((row) => row.payload_reference)),
          sorted(expected),
          `${person.name} ${service}`,
        )
        const total = await account.get(
          person,
          `/client/v1/api/payloads?client=random&service=${service}&type=total`,
        )
        assert.equal(total.body.total, expected.length, `${person.name} ${service} total`)
        seen += expected.length
      }
    }
    assert.ok(seen > 0, `only ${seen} rows were compared`)
  })

  it('applies to lists of a time range and of a conversation', async () => {
    const wire = (seconds: number) => {
      const iso = new Date(seconds * 1000).toISOString()
      return `${iso.slice(0, 10)}-${iso.slice(11, 19).replaceAll(':', '')}`
    }
    let seen = 0
    for (const person of account.people) {
      const listed = account.visible(person, 'payloads:list').filter(isListed)
      if (account.visible(person, 'payloads:list').length === 0) continue
      const day = FIXTURE_START + Math.floor(account.random() * 60) * 86_400
      const [from, to] = [day + 4 * 3600, day + 86_400 + 13 * 3600]
      const within = listed.filter(({ payload_time }) => payload_time >= from && payload_time < to)
      await account.compareTotals(person, { from: wire(from), to: wire(to) }, within)
      const thread = listed.filter(({ thread_id }) => thread_id === '1')
      const shown = await account.rows(
        person,
        '/client/v1/api/payloads?client=random&service=messages&thread_id=1',
      )
      assert.deepEqual(
        sorted((shown ?? []).map((row) => row.payload_reference)),
        sorted(thread.map(({ payload_reference }) => payload_reference)),
        person.name,
      )
      seen += within.length + thread.length
    }
    assert.ok(seen > 0, `only ${seen} payloads were compared`)
  })

  it('applies to the counts, services and contacts of a phone number', async () => {
    // However it is written it is one number.
    const same = ['+44 7700 900123', '07700900123']
    let seen = 0
    for (const person of account.people) {
      for (const number of FIXTURE_NUMBERS) {
        const path = `/client/v1/api/contacts?client=random&number=${encodeURIComponent(number)}`
        const { status, body } = await account.get(person, path)
        const all = account.visible(person, 'payloads:list')
        if (status === 403) {
          assert.equal(all.length, 0, `${person.name} is refused a number`)
          continue
        }
        const meant = same.includes(number) ? same : [number]
        const having = all.filter((each) => isListed(each) && each.numbers.some((one) => meant.includes(one)))
        const result = body as unknown as Contacts
        const totals = (services: Contacts['services']) => {
          assert.ok(services.every(({ total, is_capped }) => total > 0 && !is_capped))
          return {
            ...byService([]),
            ...Object.fromEntries(services.map(({ service, total }) => [service, total])),
          }
        }
        assert.deepEqual(totals(result.services), byService(having), `${person.name} ${number}`)
        const users = Map.groupBy(
          having.filter((each) => each.device_user_reference !== null),
          (each) => each.device_user_reference,
        )
        assert.deepEqual(result.people_total, { total: users.size })
        assert.deepEqual(
          sorted(
            result.people.map((each) => JSON.stringify([each.device_user_reference, totals(each.services)])),
          ),
          sorted([...users].map(([user, theirs]) => JSON.stringify([user, byService(theirs)]))),
          `${person.name} ${number}`,
        )
        // Its links lead to lists of as many.
        const [first] = result.people
        if (first !== undefined && seen % 5 === 0)
          await account.compareTotals(
            person,
            { ...result.filter, device_user_reference: first.device_user_reference },
            users.get(first.device_user_reference) ?? [],
          )
        await (seen % 5 === 0 ? account.compareTotals(person, { ...result.filter }, having) : undefined)
        seen += having.length
      }
    }
    assert.ok(seen > 0, `only ${seen} payloads were counted`)
  })

  it('applies to searches and their suggestions', async () => {
    let suggested = 0
    const plain = (text: string) =>
      text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
    for (const person of account.people) {
      for (const search of ['joa', 'MELO', '0123', 'person', '441']) {
        const begins = (name: string) =>
          plain(name)
            .split(/[ ,’-]+/)
            .some((word) => word.startsWith(search.toLowerCase()))
        const ends = (number: string) =>
          /^\+?[\d ]+[\d-]*$/.test(number) &&
          (search === '441' ? number === '+441' : number.replace(/\D/g, '').endsWith(search))
        const found = account.visible(person, 'payloads:list').flatMap((payload) => {
          const { payload_state, numbers, names, device_user_reference: user } = payload
          if (payload_state === 'Deleted' || payload_state === 'Destroyed') return []
          const parties = numbers.map((number, i) => ({ number, name: names[i] ?? '' }))
          const held = user === null ? '' : `${FIXTURE_PEOPLE[Number(user.slice(7))] ?? ''} ${user}`
          const keys = [
            ...parties.flatMap(({ number, name }) =>
              begins(name) || ends(number) ? [JSON.stringify([name || null, number])] : [],
            ),
            ...(begins(held) ? [JSON.stringify(user)] : []),
          ]
          return keys.length > 0 ? [{ ...payload, keys }] : []
        })
        const query = `client=random&search=${encodeURIComponent(search)}`
        const shown = await account.rows(person, `/client/v1/api/payloads?${query}`)
        const answer = await account.get(person, `/client/v1/api/suggestions?${query}`)
        assert.equal(answer.status, shown === undefined ? 403 : 200)
        if (shown === undefined) continue
        assert.deepEqual(
          sorted(shown.map((row) => row.payload_reference)),
          sorted(found.map((payload) => payload.payload_reference)),
          `${person.name} ${search}`,
        )
        await account.compareTotals(person, { search }, found)
        const allowed = new Set(found.flatMap(({ keys }) => keys))
        const given = (answer.body.data ?? []).map((each) =>
          JSON.stringify(
            each.kind === 'person' ? each.device_user_reference : [each.contact_name, each.phone_number],
          ),
        )
        assert.equal(given.length, Math.min(allowed.size, SUGGESTIONS), `${person.name} ${search}`)
        for (const each of given) assert.ok(allowed.has(each), `${person.name} must not see ${each}`)
        suggested += given.length
      }
    }
    assert.ok(suggested > 0, `only ${suggested} suggestions were compared`)
  })

  it('applies to single payload reads', async () => {
    for (const person of account.people.slice(0, 12)) {
      const allowed = new Set(
        account.visible(person, 'payloads:read').map((payload) => payload.payload_reference),
      )
      for (const { payload_reference } of account.fixture.payloads.slice(0, 40)) {
        const { status } = await account.get(
          person,
          `/client/v1/api/payloads/${payload_reference}?client=random`,
        )
        assert.equal(
          status === 200,
          allowed.has(payload_reference),
          `${person.name} ${payload_reference} ${status}`,
        )
      }
    }
  })
}
