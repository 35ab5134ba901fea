import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { readRoots } from './attestation.ts'
import { makeChallenge } from './attestation-challenge.ts'
import { authenticate } from './authenticate.ts'
import { DEVICE_POLICY } from './policy.ts'
import { deviceIdentityRoutes, type FindParty } from './sign-in.ts'
import { readPhoneKey } from '../device-records/store.ts'

type Rows =
  | 'readAttestationChallenge'
  | 'authenticateDevice'
  | 'readDeviceKey'
  | 'readDevicePolicy'
  | 'readDeviceIdentity'
  | 'exchangeDeviceCode'

/** Device routes before recording. */
export function deviceRoutes(ctx: AppContext, findParty: FindParty): Handlers<Rows> {
  const roots = readRoots(ctx.config.attestationRoots)
  return {
    ...deviceIdentityRoutes(ctx, findParty),
    readAttestationChallenge: ({ now }) => makeChallenge(ctx.keys, now),
    authenticateDevice: (context, { body }) => authenticate(ctx, { roots, findParty }, context, body),
    readDeviceKey: async (context) => {
      const { client } = context.caller
      const key = await context.read(readPhoneKey)
      if (!key) throw new Problem('not_found', { detail: 'the client has no device key' })
      return { key_id: key.key_id, kek: key.public_key, client }
    },
    readDevicePolicy: async () => DEVICE_POLICY,
  }
}
