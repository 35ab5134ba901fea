/** Headers of every response. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Additional headers of the portal's pages and files. */
export const PAGE_HEADERS = {
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/**
 * The content security policy of a page: its own files, inline parts with this response's nonce, connections
 * to us and to `monitored`, and map pictures from `mapped`.
 */
export function pagePolicy(
  nonce: string,
  monitored: readonly string[] = [],
  mapped: readonly string[] = [],
): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' data: blob:", ...mapped].join(' '),
    "media-src 'self' blob:",
    ['connect-src', "'self'", ...monitored].join(' '),
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
