/** A number without what people write between its digits; undefined for what is none (gateways also name senders by words). */
export function plainNumber(written: string): string | undefined {
  const plain = written.replaceAll(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(plain) ? plain : undefined
}
