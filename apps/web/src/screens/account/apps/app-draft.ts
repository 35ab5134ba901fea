import { type ClientApp, ClientAppInput, ClientAppReference, type Fault } from '@custodia/contract'
import { shapeFaults } from '../../../ui/form/faults.ts'

/** What the form of a client app holds. */
export interface AppDraft extends ClientAppInput {
  app_reference: string
}

/** The form of an app as it is stored; of a new one when there is none. */
export const draftOf = (app: ClientApp | undefined): AppDraft => ({
  app_reference: app?.app_reference ?? '',
  oidc_config: app?.oidc_config ?? { issuer: '', audience: '', jwks_uri: '' },
  group: app?.group ?? null,
  roles: app?.roles ?? [],
  cidr_ranges: app?.cidr_ranges ?? [],
})

/** What is sent to the server, without spaces that were pasted with an address. */
export function inputOf({ oidc_config, group, roles, cidr_ranges }: AppDraft): ClientAppInput {
  const { issuer, audience, jwks_uri } = oidc_config
  return {
    oidc_config: { issuer: issuer.trim(), audience: audience.trim(), jwks_uri: jwks_uri.trim() },
    group,
    roles,
    cidr_ranges,
  }
}

/** What is wrong with a form before the server is asked. */
export const draftFaults = (draft: AppDraft): Fault[] => [
  ...shapeFaults(ClientAppReference, draft.app_reference, 'app_reference'),
  ...shapeFaults(ClientAppInput, inputOf(draft)),
]
