/** Removes separators from a number; undefined for a text such as an alphanumeric sender. */
export function plainNumber(written: string): string | undefined {
  const plain = written.replaceAll(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(plain) ? plain : undefined
}
