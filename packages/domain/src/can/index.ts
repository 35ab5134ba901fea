/** What may be done with a thing, and why not: the same rules for the server, which refuses, and the portal, which offers. */
export * from './alert.ts'
export * from './comment.ts'
export * from './heard.ts'
export * from './payload.ts'
export * from './support-request.ts'
