/** About what the cards above the fleet take, in pixels. */
export const WORK_HEIGHT = 672
