/** An OpenID provider as the portal sees it. `relying-party.ts` speaks to any, `embedded.ts` is one of our own. */
export interface IdentityProvider {
  readonly issuer: string
  /** Address at which the person signs in. */
  signInUrl(request: SignInRequest): Promise<string>
  /** Redeems a code. Throws SignInRefused or ProviderUnavailable. */
  redeem(code: CodeAnswer): Promise<VerifiedIdentity>
  /** Asks whether the person is still who they were. Throws SignInRefused or ProviderUnavailable. */
  renew(tokens: ProviderTokens): Promise<VerifiedIdentity>
  /** Tells the provider that the tokens are no longer needed. Throws ProviderUnavailable. */
  revoke(tokens: ProviderTokens): Promise<void>
  /** Where the provider ends its own sign-in and returns to `return_to`; undefined when it has no such page. */
  signOutUrl(tokens: ProviderTokens, return_to: string): Promise<string | undefined>
}

export interface SignInRequest {
  /** The client to sign in to; providers that serve several may use it as a hint. */
  client: string
  redirect_uri: string
  state: string
  nonce: string
  code_verifier: string
  locale: string
  /** Who is about to sign in, when that is known. */
  login_hint?: string | undefined
}

export interface CodeAnswer {
  code: string
  redirect_uri: string
  nonce: string
  code_verifier: string
}

/** What the provider answered for a person. */
export interface VerifiedIdentity {
  /** As they stand in its token, which is verified; `readClaims` reads them. */
  claims: Readonly<Record<string, unknown>>
  tokens: ProviderTokens
  /** Lifetime of the sign-in in seconds when the provider issued no refresh token. */
  expires_in: number
}

/** Tokens of the provider. They never leave the server. */
export interface ProviderTokens {
  /** Absent when the provider gives none: then the sign-in cannot be renewed. */
  refresh_token?: string | undefined
  id_token?: string | undefined
}

/** Claims about a person; what they give is for the mapping of the client to say. */
export interface Claims {
  /** The provider's subject, which is never reassigned, unlike a name. */
  subject: string
  user_reference: string
  /** How people call the person; only shown. */
  display_name?: string | undefined
  /** Absent when the provider serves one client only. */
  client?: string | undefined
  roles?: string[] | undefined
  user_group?: string | undefined
  groups?: string[] | undefined
  /** Absent where the provider gives none, or has not verified it. */
  email?: string | undefined
}

/** The provider says no: a wrong or used code, or a person who is no longer there; or what it says cannot be used. */
export class SignInRefused extends Error {
  override name = 'SignInRefused'
  /** The person, when the provider's statement is authentic. */
  readonly user_reference: string | undefined

  constructor(message: string, user_reference?: string) {
    super(message)
    this.user_reference = user_reference
  }
}

/** The provider cannot be reached, or does not accept us as its client. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}
