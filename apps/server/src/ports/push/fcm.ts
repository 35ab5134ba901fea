import { readFile } from 'node:fs/promises'
import { importPKCS8, SignJWT } from 'jose'
import * as z from 'zod/mini'
import { type Push, PushUnavailable } from './port.ts'

/** The JSON file of a Google service account; further fields are ignored. */
const ServiceAccount = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.string(),
})

const ORIGIN = 'https://fcm.googleapis.com'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Lifetime of an access token in seconds, and the time before its end when it is replaced. */
const TOKEN_SECONDS = 3600
const TOKEN_MARGIN = 300
const PATIENCE_MS = 10_000
/** Seconds for which the service tries to reach a device; afterwards the device polls. */
const TIME_TO_LIVE = '3600s'

export interface FcmOptions {
  /** Path of the service account's JSON file. */
  file: string
  /** Epoch seconds. */
  now: () => number
  /** Origin of the service; Google's by default. */
  origin?: string
}

/** Firebase Cloud Messaging, HTTP v1. Throws when the file is not that of a service account. */
export async function fcmPush({ file, now, origin = ORIGIN }: FcmOptions): Promise<Push> {
  const account = ServiceAccount.parse(JSON.parse(await readFile(file, 'utf8')))
  const key = await importPKCS8(account.private_key, 'RS256')
  let token: { value: string; expires_at: number } | undefined

  async function accessToken(): Promise<string> {
    if (token && now() < token.expires_at) return token.value
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(now())
      .setExpirationTime(now() + TOKEN_SECONDS)
      .sign(key)
    const answer = await ask(account.token_uri, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: GRANT, assertion }),
    })
    if (!answer.ok) throw new PushUnavailable(`the token service answered ${answer.status}`)
    const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json())
    token = { value: access_token, expires_at: now() + TOKEN_SECONDS - TOKEN_MARGIN }
    return access_token
  }

  return {
    async wake(fcm_token) {
      const answer = await ask(
        `${origin}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            message: {
              token: fcm_token,
              data: { wake: 'commands' },
              android: { priority: 'high', ttl: TIME_TO_LIVE },
            },
          }),
        },
      )
      await answer.body?.cancel()
      if (answer.ok) return true
      // Not found: the app was removed. Invalid: it was never a token.
      if (answer.status === 404 || answer.status === 400) return false
      if (answer.status === 401) token = undefined
      throw new PushUnavailable(`the push service answered ${answer.status}`)
    },
  }
}

const ask = (address: string, request: RequestInit): Promise<Response> =>
  fetch(address, { ...request, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    (cause: unknown) => {
      throw new PushUnavailable('the push service cannot be reached', { cause })
    },
  )
