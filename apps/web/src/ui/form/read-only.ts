/** Props of a read-only field: it looks like text, and stays focusable and copyable, unlike a disabled one. */
export const readOnlyLook = (isReadOnly: boolean) =>
  ({ readOnly: isReadOnly, variant: isReadOnly ? 'filled' : 'default' }) as const
