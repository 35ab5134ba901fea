export { makeSessions, type Sessions, type SessionOptions } from './make-sessions.ts'
export { peopleRoutes } from './people.ts'
export { sessionRoutes } from './routes.ts'
