/**
 * Properties of a field that may only be read: it looks and reads like text, and can be reached and copied from, which
 * a disabled one cannot.
 */
export const readOnlyLook = (isReadOnly: boolean) =>
  ({ readOnly: isReadOnly, variant: isReadOnly ? 'filled' : 'default' }) as const
