import assert from 'node:assert/strict'
import { accessWorld, allow } from '../../testing/access-world.ts'
import type { Person } from '../../testing/person.ts'
import { storePayload } from '../../testing/stored-payload.ts'

/** Everything of recordings, and one's own profile. */
export const PLAYS = [allow('payloads:*', 'profile:read')]

/** The demo's server with a recording of these bytes, and carol, whose role `Player` lets her play it. */
export async function playerWorld(bytes: Buffer) {
  const world = await accessWorld()
  await using made = new AsyncDisposableStack()
  made.defer(world.close)
  const payload_reference = await storePayload(world.server.house, { client: 'acme', group: 'North', bytes })
  await world.giveRole('Player', PLAYS)
  const carol = await world.personWith(['Player'])
  made.move()
  return {
    ...world,
    payload_reference,
    carol,
    /** The path of an address at which somebody plays the recording. */
    async addressOf({ api }: Pick<Person, 'api'>): Promise<string> {
      const answer = await api.readPayloadData({ params: { payload_reference }, query: { action: 'play' } })
      assert.equal(answer.status, 'Ok')
      return new URL(answer.s3_url ?? '').pathname
    },
  }
}
