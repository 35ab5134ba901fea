/** Time as the phone knows it; given from outside so that tests can hold it. */
export interface PhoneClock {
  /** Epoch seconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
}

export const systemClock: PhoneClock = {
  now: () => Math.floor(Date.now() / 1000),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}
