import type { Profile } from '@custodia/contract'

/** Arguments of a monitoring client; injected so that tests run without one. */
export interface MonitoringHost {
  /** Creates the client and starts it. Its code loads here. */
  start: (application_id: string, region: string, config: object) => Promise<unknown>
  error: (message: string, cause: unknown) => void
}

/**
 * Starts real-user monitoring once, from the first profile that configures it (spec section 7). A failed start logs
 * one console error and is not retried.
 */
export function makeMonitoring(host: MonitoringHost) {
  let isStarted = false
  return async ({ portal_config }: Pick<Profile, 'portal_config'>): Promise<void> => {
    const { monitoring_config, monitoring_application_id, monitoring_region } = portal_config
    if (isStarted || !monitoring_config || !monitoring_application_id || !monitoring_region) return
    isStarted = true
    try {
      await host.start(monitoring_application_id, monitoring_region, JSON.parse(monitoring_config) as object)
    } catch (error) {
      host.error('Monitoring could not be started', error)
    }
  }
}

/** The monitoring of this page. The client renews its credentials 30 s before they expire (spec section 9). */
export const startMonitoring = makeMonitoring({
  start: async (application_id, region, config) => {
    const { AwsRum } = await import('aws-rum-web')
    return new AwsRum(application_id, '1.0.0', region, config)
  },
  error: (message, cause) => console.error(message, cause),
})
