/** Approximate height of the cards above the fleet, in pixels. */
export const WORK_HEIGHT = 672
