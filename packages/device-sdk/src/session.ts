import { ApiProblem, type Client, makeClient } from '@custodia/client'
import type { Answer, Api, AuthenticateAnswer, AuthenticateRequest } from '@custodia/contract'
import { type DeviceKeyPair, sealUlid, signAuthentication } from '@custodia/envelope'
import { ulid } from 'ulid'
import type { PhoneClock } from './clock.ts'
import { type Enrolment, type PhoneIdentity, secretOf } from './enrolment.ts'
import { type RetryPolicy, retrying } from './retry.ts'

export type Policy = Answer<Api['readDevicePolicy']>

export interface SessionOptions {
  enrolment: Enrolment
  identity: PhoneIdentity
  deviceKey: DeviceKeyPair
  clock: PhoneClock
  retry: RetryPolicy
  fetch: typeof fetch
}

/** A phone's access to the server: calls are repeated while that can help, and an expired token is replaced. */
export interface Session {
  authenticate(): Promise<AuthenticateAnswer>
  call<T>(request: (client: Client) => Promise<T>): Promise<T>
}

/** Seconds before its expiry at which a token is replaced without asking. */
const TOKEN_MARGIN_SECONDS = 30

export function openSession({
  enrolment,
  identity,
  deviceKey,
  clock,
  retry,
  fetch,
}: SessionOptions): Session {
  const secret = secretOf(enrolment)
  let token: { value: string; expires_at: number } | undefined
  let authenticating: Promise<AuthenticateAnswer> | undefined
  const client = makeClient({
    baseUrl: enrolment.server_url.replace(/\/$/, ''),
    client: () => undefined,
    async credentials() {
      if (!token || clock.now() >= token.expires_at) await authenticate()
      return token && { token: token.value }
    },
    fetch,
  })

  /** Sealed and signed anew for every try: each ULID counts once. */
  function signed(): AuthenticateRequest {
    const { account_reference } = enrolment
    const stated = {
      ...identity,
      account_reference,
      ulid_encrypted: sealUlid(secret, account_reference, ulid(clock.now() * 1000)),
      ...('enrolment' in enrolment ? { enrolment: enrolment.enrolment } : {}),
    }
    const { device_key, private_key } = deviceKey
    return { ...stated, device_key, signature: signAuthentication(private_key, stated) }
  }

  async function request(): Promise<AuthenticateAnswer> {
    const answer = await retrying(retry, clock, () => client.authenticateDevice({ body: signed() }))
    token = {
      value: answer.access_token,
      expires_at: clock.now() + Math.max(0, answer.expires_in - TOKEN_MARGIN_SECONDS),
    }
    return answer
  }

  /** Calls that need a token at the same time share one authentication. */
  function authenticate(): Promise<AuthenticateAnswer> {
    authenticating ??= request().finally(() => {
      authenticating = undefined
    })
    return authenticating
  }

  return {
    authenticate,
    async call(send) {
      try {
        return await retrying(retry, clock, () => send(client))
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.status !== 401) throw error
        // Expired early, or the device was deactivated: authenticating again cures both.
        await authenticate()
        return retrying(retry, clock, () => send(client))
      }
    },
  }
}
