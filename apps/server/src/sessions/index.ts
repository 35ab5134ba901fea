export { makeSessions, type Sessions, type SessionOptions } from './make-sessions.ts'
export { sessionRoutes } from './routes.ts'
