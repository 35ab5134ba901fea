/** An OpenID provider for the portal. `relying-party.ts` uses any, `embedded.ts` is our own. */
export interface IdentityProvider {
  readonly issuer: string
  signInUrl(request: SignInRequest): Promise<string>
  /** Redeems a code. Throws SignInRefused or ProviderUnavailable. */
  redeem(code: CodeAnswer): Promise<VerifiedIdentity>
  /** Checks whether the person still has access. Throws SignInRefused or ProviderUnavailable. */
  renew(tokens: ProviderTokens): Promise<VerifiedIdentity>
  /** Revokes tokens at the provider. Throws ProviderUnavailable. */
  revoke(tokens: ProviderTokens): Promise<void>
  /** The provider's sign-out page, which returns to `return_to`; undefined when it has none. */
  signOutUrl(tokens: ProviderTokens, return_to: string): Promise<string | undefined>
}

export interface SignInRequest {
  /** The client to sign in to; a hint for providers that serve several. */
  client: string
  redirect_uri: string
  state: string
  nonce: string
  code_verifier: string
  locale: string
  /** The person, when known. */
  login_hint?: string | undefined
}

export interface CodeAnswer {
  code: string
  /** The issuer that came with the code, if any. */
  iss?: string | undefined
  redirect_uri: string
  nonce: string
  code_verifier: string
}

/** The provider's verified statement about a person. */
export interface VerifiedIdentity {
  /** The claims of the verified token; `readClaims` reads them. */
  claims: Readonly<Record<string, unknown>>
  tokens: ProviderTokens
  /** Lifetime of the sign-in in seconds when the provider issued no refresh token. */
  expires_in: number
}

/** Tokens of the provider. They never leave the server. */
export interface ProviderTokens {
  /** Absent when the provider issues none: then the sign-in cannot be renewed. */
  refresh_token?: string | undefined
  id_token?: string | undefined
}

/** Claims about a person; the client's mapping turns them into permissions. */
export interface Claims {
  /** The provider's subject, which is never reassigned, unlike a name. */
  subject: string
  user_reference: string
  display_name?: string | undefined
  /** Absent when the provider serves one client only. */
  client?: string | undefined
  roles?: string[] | undefined
  user_group?: string | undefined
  groups?: string[] | undefined
  /** Absent when missing or not verified. */
  email?: string | undefined
}

/** The provider refuses: a wrong or used code, or a deleted person; or its response is unusable. */
export class SignInRefused extends Error {
  override name = 'SignInRefused'
  /** The person, when the provider's statement is authentic. */
  readonly user_reference: string | undefined

  constructor(message: string, user_reference?: string) {
    super(message)
    this.user_reference = user_reference
  }
}

/** The provider is unreachable, or refuses our client. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}
