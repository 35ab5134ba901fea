import { type ClientApp, ClientAppInput, ClientAppReference, type Fault, fault } from '@custodia/contract'
import { shapeFaults, valueAt } from '../../ui/form/faults.ts'

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

/** What is wrong with a form before the server is asked. A field that is empty is only told to be needed. */
export function draftFaults(draft: AppDraft): Fault[] {
  const input = inputOf(draft)
  const app_reference = draft.app_reference.trim()
  const faults = [
    ...shapeFaults(ClientAppReference, app_reference, 'app_reference'),
    ...shapeFaults(ClientAppInput, input),
  ].map(({ path, ...rest }) =>
    isEmpty(valueAt({ ...input, app_reference }, path))
      ? fault(path, 'required', { field: path.split('.').at(-1) ?? path })
      : { path, ...rest },
  )
  return faults.filter(({ path }, index) => faults.findIndex((other) => other.path === path) === index)
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)
