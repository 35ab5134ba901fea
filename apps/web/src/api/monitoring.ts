import type { Profile } from '@custodia/contract'

/** What a monitoring client is made with; passed in so that its start can be tested without one. */
export interface MonitoringHost {
  /** Makes the client of that application and begins to watch. What it needs loads here. */
  start: (application_id: string, region: string, config: object) => Promise<unknown>
  error: (message: string, cause: unknown) => void
}

/**
 * Starts real-user monitoring once, from the first profile that names one (spec section 7). A start that fails is one error on the console,
 * and is not tried again: nobody's work waits for it.
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

/** The monitoring of this page. Credentials are renewed 30 s before they end (spec section 9), which is what the client does by itself. */
export const startMonitoring = makeMonitoring({
  start: async (application_id, region, config) => {
    const { AwsRum } = await import('aws-rum-web')
    return new AwsRum(application_id, '1.0.0', region, config)
  },
  error: (message, cause) => console.error(message, cause),
})
