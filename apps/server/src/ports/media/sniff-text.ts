/** True when the bytes are UTF-8 without control characters; the last character may be cut off. */
export function looksLikeText(head: Buffer): boolean {
  if (head.length === 0) return false
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    // oxlint-disable-next-line no-control-regex
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)
  } catch {
    return false
  }
}

/** True when text begins like a JSON object or array. */
export function looksLikeJson(head: Buffer): boolean {
  if (!looksLikeText(head)) return false
  return /^\uFEFF?\s*(\{\s*("|\}|$)|\[\s*([[\]{"\d\-tfn]|$))/.test(head.toString('utf8'))
}
