import { ApiProblem, type Client, makeClient } from '@custodia/client'
import {
  type Answer,
  type Api,
  type AuthenticateAnswer,
  type AuthenticateRequest,
  EnrolmentText,
} from '@custodia/contract'
import { type DeviceKeyPair, sealUlid, signAuthentication } from '@custodia/envelope'
import { ulid } from 'ulid'

/** Time as the phone knows it; given from outside so that tests can hold it. */
export interface PhoneClock {
  /** Epoch seconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
}

export const systemClock: PhoneClock = {
  now: () => Math.floor(Date.now() / 1000),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}

/** How stubbornly a phone repeats what did not get through. */
export interface RetryPolicy {
  /** Tries in all. */
  tries: number
  /** Pause before the second try; doubled before each further one. */
  firstPauseMs: number
  longestPauseMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 6, firstPauseMs: 500, longestPauseMs: 30_000 }

/** Statuses that may be different a moment later. */
const PASSING_STATUSES = new Set([408, 425, 429])

/** Whether repeating the very same request can help: no network, or a server that is not well. */
export function isPassing(status: number): boolean {
  return status >= 500 || PASSING_STATUSES.has(status)
}

/** A request that got no answer, or one that may be different a moment later. `retry_after` in seconds, as the server asked. */
export class PassingFailure extends Error {
  readonly retry_after: number | undefined
  constructor(message: string, options: { retry_after?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'PassingFailure'
    this.retry_after = options.retry_after
  }
}

/**
 * Repeats `attempt` while its failure may pass, with growing pauses. Each is shortened by up to a half at random, so that a fleet does
 * not come back all at once after an outage. Failures that will not pass, and the last one, are thrown.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  clock: PhoneClock,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (tried >= policy.tries || !mayPass(error)) throw error
      const asks = error instanceof PassingFailure || error instanceof ApiProblem
      const asked = asks ? (error.retry_after ?? 0) * 1000 : 0
      const pause = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (tried - 1))
      await clock.sleep(Math.max(Math.min(asked, policy.longestPauseMs), pause * (0.5 + Math.random() / 2)))
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiProblem) return isPassing(error.status)
  // fetch reports a network that is down, or a connection that broke, as a TypeError.
  return error instanceof PassingFailure || error instanceof TypeError
}

interface OfAccount {
  /** Origin of the server, such as `https://archive.example`. */
  server_url: string
  account_reference: string
}
/** With the account's own key: 32 bytes in base64, a secret. */
export interface KeyEnrolment extends OfAccount {
  account_key: string
  enrolment?: never
}
/** The code that the portal made: reference and secret of an enrolment, with which the device authenticates from then on. */
export interface SecretEnrolment extends OfAccount {
  enrolment: string
  account_key?: never
}
/** What a phone is given at roll-out, for example as a QR code. */
export type Enrolment = KeyEnrolment | SecretEnrolment

/** What the text or QR code of the portal says. Throws a RangeError that does not quote it. */
export function readEnrolment(text: string): SecretEnrolment {
  let stated: unknown
  try {
    stated = JSON.parse(text)
  } catch {
    stated = undefined
  }
  const parsed = EnrolmentText.safeParse(stated)
  if (!parsed.success) throw new RangeError('this is no enrolment: it is JSON, as the portal shows it')
  return parsed.data
}

/** What a device seals its proofs with: the secret of its enrolment, else the account key. Throws a RangeError that does not quote the key. */
export const getSecret = ({ enrolment, account_key }: Enrolment): Buffer =>
  enrolment === undefined
    ? getAccountKey(account_key)
    : Buffer.from(enrolment.split('.')[1] ?? '', 'base64url')

/** What a phone says about itself when it authenticates. Without `installation_id` reinstallations are not recognised. */
export interface PhoneIdentity {
  model: string
  os_version: string
  app_version: string
  serial_number?: string | null
  installation_id?: string | null
  fcm_token?: string | null
  phone_numbers: string[]
  imeis: string[]
  /** E-mail address of the claimed holder. */
  email?: string | null
}

function getAccountKey(account_key: string): Buffer {
  const key = Buffer.from(account_key, 'base64')
  if (key.length !== 32 || key.toString('base64') !== account_key) {
    throw new RangeError('the account key is not 32 bytes in base64')
  }
  return key
}

export type Policy = Answer<Api['readDevicePolicy']>

interface SessionOptions {
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
  const secret = getSecret(enrolment)
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
