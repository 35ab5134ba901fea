import { type ClientApp, ClientAppInput, ClientAppReference, type Fault, fault } from '@custodia/contract'
import { shapeFaults, valueAt } from '../../ui/form/faults.ts'

/** Form state of a client app. */
export interface AppDraft extends ClientAppInput {
  app_reference: string
}

/** Form state of a stored app, or of a new one. */
export const getDraft = (app: ClientApp | undefined): AppDraft => ({
  app_reference: app?.app_reference ?? '',
  oidc_config: app?.oidc_config ?? { issuer: '', audience: '', jwks_uri: '' },
  group: app?.group ?? null,
  roles: app?.roles ?? [],
  cidr_ranges: app?.cidr_ranges ?? [],
})

/** The API input, without pasted spaces. */
export function getInput({ oidc_config, group, roles, cidr_ranges }: AppDraft): ClientAppInput {
  const { issuer, audience, jwks_uri } = oidc_config
  return {
    oidc_config: { issuer: issuer.trim(), audience: audience.trim(), jwks_uri: jwks_uri.trim() },
    group,
    roles,
    cidr_ranges,
  }
}

/** Validates the form before the request. An empty field is reported as required only. */
export function draftFaults(draft: AppDraft): Fault[] {
  const input = getInput(draft)
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
