/** The provider's own client: a reserved name, so that its calls need not name it. */
export const PROVIDER_CLIENT = 'admin'
