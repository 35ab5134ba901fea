export { makeSessions, type Sessions, type SessionOptions } from './make-sessions.ts'
export { ownClaims } from './own-claims.ts'
export { peopleRoutes } from './people.ts'
export { sessionRoutes } from './routes.ts'
