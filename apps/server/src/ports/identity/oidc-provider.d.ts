/** The used parts of oidc-provider 9, which has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expires_in: number): Promise<void>
    find(id: string): Promise<Record<string, unknown> | undefined>
    findByUid(uid: string): Promise<Record<string, unknown> | undefined>
    findByUserCode(user_code: string): Promise<Record<string, unknown> | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grant_id: string): Promise<void>
  }

  export interface Interaction {
    uid: string
    prompt: { name: string }
    params: Record<string, unknown>
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    /** Koa's: believe X-Forwarded-Host and X-Forwarded-Proto. */
    proxy: boolean
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string; cacheEntry: boolean; amr: string[] } },
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
    on(event: string, listener: (context: unknown, error: Error) => void): void
    Grant: { new (fields: { clientId: string; accountId: string }): Grant }
    Client: { prototype: { redirectUriAllowed(uri: string): boolean } }
  }

  export const errors: {
    InvalidGrant: new (detail: string) => Error
    InvalidRequest: new (detail: string) => Error
  }
}
