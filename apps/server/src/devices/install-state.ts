import type { AuthenticateAnswer } from '@custodia/contract'

export type InstallState = AuthenticateAnswer['install_state']

/**
 * Installation state of an authentication (reading-the-spec, "Phones"). `known` is undefined for a new device; an
 * imported device was never activated.
 */
export function installState(
  installation_id: string | null | undefined,
  known: { installation_id: string | null; activated_at: number | null } | undefined,
): InstallState {
  if (!installation_id) return 'NoInstallationId'
  if (!known || known.activated_at === null) return 'NewInstall'
  const changed = known.installation_id !== null && known.installation_id !== installation_id
  return changed ? 'FactoryReset' : 'NoChange'
}
