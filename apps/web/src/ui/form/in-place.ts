/** For the lists of selects and the like: beside their field, inside its landmark, instead of at the end of the page. */
export const IN_PLACE = { withinPortal: false } as const
