/** Wakes phones that sleep, through the push service of their maker. What is sent has no content: the phone asks for what it is to do. */
export interface Push {
  /**
   * Wakes the phone with this token of its push service. False: the service no longer knows it. Throws PushUnavailable where trying again
   * later may help.
   */
  wake(fcm_token: string): Promise<boolean>
}

/** The push service cannot be reached, refuses this installation, or is too busy. */
export class PushUnavailable extends Error {
  override name = 'PushUnavailable'
}
