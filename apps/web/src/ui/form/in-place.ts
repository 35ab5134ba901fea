/** Renders dropdowns inside their field's landmark instead of at the end of the page. */
export const IN_PLACE = { withinPortal: false } as const
