/**
 * Wakes sleeping devices through their maker's push service. The message has no content: the device polls for
 * its commands.
 */
export interface Push {
  /**
   * Wakes the device with this push token. False: the service no longer knows it. Throws PushUnavailable when
   * a later attempt may help.
   */
  wake(fcm_token: string): Promise<boolean>
}

/** The push service is unreachable, refuses this installation, or is too busy. */
export class PushUnavailable extends Error {
  override name = 'PushUnavailable'
}
