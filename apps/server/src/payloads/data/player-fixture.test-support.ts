import assert from 'node:assert/strict'
import { accessFixture, allow, type Person } from '../../testing/access-fixture.ts'
import { storePayload } from '../../testing/stored-payload.ts'

/** Everything of recordings, and one's own profile. */
export const PLAYS = [allow('payloads:*', 'profile:read')]

/** The demo's server with a recording of these bytes, and carol, whose role `Player` lets her play it. */
export async function playerFixture(bytes: Buffer) {
  const fixture = await accessFixture()
  await using made = new AsyncDisposableStack()
  made.defer(fixture.close)
  const payload_reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North', bytes })
  await fixture.giveRole('Player', PLAYS)
  const carol = await fixture.personWith(['Player'])
  made.move()
  return {
    ...fixture,
    payload_reference,
    carol,
    /** Gets an address that plays the recording. */
    async addressOf({ api }: Pick<Person, 'api'>): Promise<string> {
      const answer = await api.readPayloadData({ params: { payload_reference }, query: { action: 'play' } })
      assert.equal(answer.status, 'Ok')
      return new URL(answer.s3_url ?? '').pathname
    },
  }
}
