import type { AuthenticateAnswer } from '@custodia/contract'

export type InstallState = AuthenticateAnswer['install_state']

/**
 * What an authentication says about the phone's installation (reading-the-spec, "Phones"). `known` is the device as
 * stored before, undefined when it was never seen; a device that was only imported has not been activated yet.
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
