// Constants of the sign-in page, separate from the schemas, which would make that page larger.

/** The provider's own account: a reserved name, so that its calls need not name it. */
export const PROVIDER_CLIENT = 'admin'
/** The token counts as expired this many seconds early (spec section 9). */
export const EXPIRY_MARGIN_SECONDS = 5
/** Repeated refresh and profile calls within this time share one request (spec section 9). */
export const DEDUPLICATION_MS = 1000
/** Page to which the identity provider returns. */
export const SIGN_IN_PATH = '/sign-in'
