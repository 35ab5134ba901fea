import type { AppContext } from '../app-context.ts'
import { type DeviceParty, deviceParty } from '../ports/identity/device-party.ts'
import type { ProviderConfig } from '../ports/identity/discovery.ts'
import type { EmbeddedProvider } from '../ports/identity/embedded.ts'
import type { IdentityProvider } from '../ports/identity/port.ts'
import { type Loopback, loopbackReach, relyingParty } from '../ports/identity/relying-party.ts'
import { oidcSecretContext } from '../ports/keys/contexts.ts'
import type { SignInClient } from './store.ts'

/** Finds the identity provider of a client: its own, else the installation's, else the embedded one. */
export type Providers = (client: SignInClient) => Promise<IdentityProvider>

/** `loopback` is the way to the embedded provider. */
export function identityProviders(
  ctx: Pick<AppContext, 'config' | 'keys' | 'egress'>,
  embedded: EmbeddedProvider | undefined,
  loopback: Loopback,
): Providers {
  const { oidc, publicUrl } = ctx.config
  const general = oidc
    ? relyingParty(oidc, ctx.egress)
    : embedded
      ? relyingParty(embedded, loopbackReach(publicUrl, loopback))
      : undefined
  const own = new Map<number, { key: string; provider: IdentityProvider }>()

  return async (client) => {
    if (client.oidc_issuer === null) {
      if (!general) throw new Error('neither an identity provider is configured nor the embedded one runs')
      return general
    }
    const config = await ownProvider(ctx.keys, client)
    const key = JSON.stringify(config)
    const known = own.get(client.client_id)
    if (known?.key === key) return known.provider
    // Cached data of a former provider is dropped.
    const provider = relyingParty(config, ctx.egress)
    own.set(client.client_id, { key, provider })
    return provider
  }
}

/** Finds where the people of a client sign in on their devices; undefined where they do not. */
export type DeviceParties = (client: SignInClient) => DeviceParty | undefined

/** As `identityProviders`, for devices: at the same issuer, under a client id of their own. */
export function deviceParties(
  ctx: Pick<AppContext, 'config' | 'egress'>,
  embedded: EmbeddedProvider | undefined,
  loopback: Loopback,
): DeviceParties {
  const { oidc, publicUrl } = ctx.config
  const general = oidc
    ? oidc.device_client_id &&
      deviceParty({ issuer: oidc.issuer, client_id: oidc.device_client_id }, ctx.egress)
    : embedded &&
      deviceParty(
        { issuer: embedded.issuer, client_id: embedded.device_client_id },
        loopbackReach(publicUrl, loopback),
      )
  const own = new Map<number, DeviceParty>()
  return ({ client_id, oidc_issuer: issuer, oidc_device_client_id }) => {
    if (issuer === null) return general || undefined
    if (oidc_device_client_id === null) return undefined
    const known = own.get(client_id)
    if (known?.issuer === issuer && known.client_id === oidc_device_client_id) return known
    const party = deviceParty({ issuer, client_id: oidc_device_client_id }, ctx.egress)
    own.set(client_id, party)
    return party
  }
}

async function ownProvider(keys: AppContext['keys'], client: SignInClient): Promise<ProviderConfig> {
  const { oidc_issuer, oidc_client_id, oidc_client_secret } = client
  if (oidc_issuer === null || oidc_client_id === null) {
    throw new Error(`client ${client.client} names no client id at its identity provider`)
  }
  const secret =
    oidc_client_secret && (await keys.unwrap(oidc_client_secret, oidcSecretContext(client.client)))
  return { issuer: oidc_issuer, client_id: oidc_client_id, client_secret: secret?.toString() }
}
